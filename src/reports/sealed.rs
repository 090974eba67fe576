use super::limits::{MOST_BYTES, MOST_LINE};
use super::{Case, Key, Report, Seal, Status};
use serde::Deserialize;
use std::collections::HashMap;

/// One line of the format that our reporters write, `tsbench.report/1`; unknown fields are ignored.
///
/// `{"id":…,"status":…,"phase":…,"seconds":…,"message":…}` is a phase of a case, `{"problem":…}` something else that
/// went wrong, `{"tamper":…}` a sign that the report cannot be believed, `{"end":true,"lines":N,"exit":E,"mac":…}` the last line. Its code is HMAC-SHA256 over every byte before
/// that line and `end <lines> <exit>`.
#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    status: Option<String>,
    phase: Option<String>,
    seconds: Option<f64>,
    #[serde(default)]
    message: String,
    problem: Option<String>,
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
    let (mut at, mut count, mut tamper) = (0, 0, None);
    for raw in bytes.split_inclusive(|b| *b == b'\n') {
        let start = at;
        at += raw.len();
        if report.seal != Seal::Open {
            report.seal = Seal::Broken("something stands behind the closing line".into());
            break;
        }
        if raw.len() > MOST_LINE {
            report.problem(&format!("a line of the report is longer than {MOST_LINE} bytes"));
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
        tamper = tamper.or(line.tamper.as_deref().map(|t| super::limits::cut(t, 500)));
        take(&mut report, &mut open, line);
    }
    if let Some(what) = tamper {
        report.seal = Seal::Broken(what);
    }
    report
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
fn take(report: &mut Report, open: &mut HashMap<String, usize>, line: Line) {
    if let Some(problem) = line.problem {
        report.problem(&problem);
        return;
    }
    let (Some(id), Some(status)) = (line.id, line.status.as_deref().and_then(word)) else { return };
    let phase = line.phase.as_deref().unwrap_or("call");
    // A set-up that went well says nothing yet: a process that ends here leaves a case that broke.
    let (status, message) = match (phase, status) {
        ("setup", Status::Passed) => (Status::Errored, "it never came to its end".to_owned()),
        (_, status) => (status, line.message),
    };
    match open.get(&id).copied() {
        Some(index) if phase != "setup" && index < report.cases.len() => {
            let case = &mut report.cases[index];
            let waiting = case.status == Status::Errored && case.message == "it never came to its end";
            if phase == "call" && waiting || status > case.status {
                (case.status, case.message) = (status, super::limits::cut(&message, 2000));
            }
            case.seconds = match (case.seconds, line.seconds) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            };
        }
        _ => {
            let index = report.cases.len();
            report.push(Case { id: id.clone(), status, seconds: line.seconds, message });
            if phase == "setup" && report.cases.len() > index {
                open.insert(id, index);
            }
        }
    }
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
