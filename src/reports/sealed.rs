use super::limits::{MOST_BYTES, MOST_LINE, cut, fitted};
use super::{Case, Key, Report, Seal, Status};
use serde::Deserialize;
use std::collections::HashMap;

/// One line of the format that our reporters write, `tsbench.report/1`; unknown fields are ignored.
///
/// `{"id":…,"status":…,"phase":…,"seconds":…,"message":…}` is a phase of a case, `{"problem":…}` something else that
/// went wrong, `{"doubt":…}` something that the runner may have taken for a failure or not, `{"tamper":…}` a sign that the
/// report cannot be believed, or, with an id, that this one case cannot, and `{"end":true,"lines":N,"exit":E,"mac":…}` the
/// last line. Its code is HMAC-SHA256 over every byte before that line and `end <lines> <exit>`.
#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    status: Option<String>,
    phase: Option<String>,
    seconds: Option<f64>,
    #[serde(default)]
    message: String,
    problem: Option<String>,
    doubt: Option<String>,
    tamper: Option<String>,
    #[serde(default)]
    end: bool,
    lines: Option<u64>,
    exit: Option<i32>,
    mac: Option<String>,
}

/// Reads a report of one of our own reporters.
pub fn parse_sealed(bytes: &[u8], key: &Key) -> Report {
    let mut report = Report::default();
    if bytes.len() > MOST_BYTES {
        report.problem(&format!("the report is longer than {MOST_BYTES} bytes"));
        return report;
    }
    let mut open: HashMap<String, usize> = HashMap::new();
    let mut tampers: Vec<(Option<String>, String)> = Vec::new();
    let (mut at, mut count) = (0, 0);
    for raw in bytes.split_inclusive(|b| *b == b'\n') {
        let start = at;
        at += raw.len();
        if report.seal != Seal::Open {
            report.seal = Seal::Broken("something stands behind the closing line".into());
            break;
        }
        if raw.len() > MOST_LINE {
            count += 1;
            report.doubt(&format!("a line of the report is longer than {MOST_LINE} bytes and was left out"));
            continue;
        }
        let Ok(line) = serde_json::from_slice::<Line>(raw) else {
            report.problem("a line of the report is not one of the reporter's");
            continue;
        };
        if line.end {
            report.exit = line.exit;
            report.seal = seal(&line, count, &bytes[..start], key);
            continue;
        }
        count += 1;
        if let Some(what) = &line.tamper {
            tampers.push((line.id.as_deref().map(|id| fitted(id).into_owned()), cut(what, 500)));
            continue;
        }
        take(&mut report, &mut open, line);
    }
    for (id, what) in tampers {
        distrust(&mut report, id, what);
    }
    report
}

/// Takes the pass from the cases of an id during which what runs the tests was changed, or from the whole report where
/// the sign is about no case of it.
fn distrust(report: &mut Report, id: Option<String>, what: String) {
    let mut about = report.cases.iter_mut().filter(|c| Some(&c.id) == id.as_ref()).peekable();
    if about.peek().is_none() {
        report.seal = Seal::Broken(what);
        return;
    }
    for case in about {
        if !case.status.is_failure() {
            // The runner saw no failure here.
            (case.status, case.message) = (Status::Unfinished, what.clone());
        }
    }
}

fn seal(line: &Line, count: u64, before: &[u8], key: &Key) -> Seal {
    let (Some(lines), Some(mac)) = (line.lines, &line.mac) else {
        return Seal::Broken("the closing line has no code".into());
    };
    let exit = line.exit.map_or(String::new(), |e| e.to_string());
    let mut text = before.to_vec();
    text.extend_from_slice(format!("end {lines} {exit}").as_bytes());
    if key.sign(&text) != *mac {
        Seal::Broken("the closing line's code does not agree with the report".into())
    } else if lines != count {
        Seal::Broken(format!("the closing line counts {lines} lines, the report has {count}"))
    } else {
        Seal::Whole
    }
}

/// Takes a phase of a case: a case is as bad as the worst of its phases, and complete only with its call or a skip.
///
/// A word for the end that we do not know (`rerun`) says that the runner takes back what it told of the case, since it
/// runs the test again. So does a set-up of a case whose call was not told.
fn take(report: &mut Report, open: &mut HashMap<String, usize>, line: Line) {
    if let Some(problem) = line.problem {
        report.problem(&problem);
        return;
    }
    if let Some(doubt) = line.doubt {
        report.doubt(&doubt);
        return;
    }
    let (Some(id), Some(said)) = (line.id, line.status) else { return };
    let id = fitted(&id).into_owned();
    let phase = line.phase.as_deref().unwrap_or("call");
    let known = word(&said);
    if known.is_none() {
        report.doubt(&format!("{id} was run again"));
    }
    // A set-up that went well says nothing yet: a process that ends here leaves a case without an end.
    let (status, message) = match (phase, known) {
        ("setup", Some(Status::Passed)) | (_, None) => (Status::Unfinished, "it never came to its end".to_owned()),
        (_, Some(status)) => (status, line.message),
    };
    let begins = phase == "setup" || known.is_none();
    let index = open.get(&id).copied().filter(|i| {
        report.cases.get(*i).is_some_and(|c| phase != "setup" || known.is_none() || c.status == Status::Unfinished)
    });
    let Some(index) = index else {
        let index = report.cases.len();
        report.push(Case { id: id.clone(), status, seconds: line.seconds, message });
        if begins && report.cases.len() > index {
            open.insert(id, index);
        }
        return;
    };
    let case = &mut report.cases[index];
    let decides = match case.status {
        Status::Unfinished => phase == "call" || status.is_failure(),
        so_far => status > so_far,
    };
    if begins || decides {
        (case.status, case.message) = (status, cut(&message, 2000));
    }
    case.seconds = match (case.seconds, line.seconds) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
}

fn word(word: &str) -> Option<Status> {
    Some(match word {
        "passed" => Status::Passed,
        "failed" => Status::Failed,
        "errored" => Status::Errored,
        "skipped" => Status::Skipped,
        "expected_failure" => Status::ExpectedFailure,
        "unexpected_pass" => Status::UnexpectedPass,
        _ => return None,
    })
}
