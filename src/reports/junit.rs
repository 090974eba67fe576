use super::limits::{MOST_BYTES, MOST_DEPTH, cut};
use super::{Case, Report, Status};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Reads JUnit XML as Surefire and Gradle write it; ids are `<class>::<name>`.
///
/// Suites may nest or be absent, counts may be wrong, entities are not expanded. A test that its build tool ran again is
/// what that tool makes of it: with a `flakyFailure` or `flakyError` it passed in the end, and a `rerunFailure` or
/// `rerunError` stands beside a failure of its own. The seal stays open: XML has none.
pub fn parse_junit(bytes: &[u8]) -> Report {
    let mut report = Report::default();
    if bytes.len() > MOST_BYTES {
        report.problem(&format!("the report is longer than {MOST_BYTES} bytes"));
        return report;
    }
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut walk = Walk { report: &mut report, depth: 0, case: None, within: None };
    loop {
        match reader.read_event() {
            Ok(Event::Start(e)) => {
                walk.start(&e);
                walk.depth += 1;
                if walk.depth > MOST_DEPTH {
                    walk.report.problem(&format!("the report nests deeper than {MOST_DEPTH} elements"));
                    break;
                }
            }
            Ok(Event::Empty(e)) => {
                walk.start(&e);
                walk.end(e.local_name().as_ref());
            }
            Ok(Event::End(e)) => {
                walk.depth = walk.depth.saturating_sub(1);
                walk.end(e.local_name().as_ref());
            }
            Ok(Event::Text(e)) => walk.text(&e.xml10_content()),
            Ok(Event::CData(e)) => walk.text(&e.xml10_content()),
            Ok(Event::Eof) => {
                if walk.depth > 0 {
                    walk.report.problem("the report ends inside an element");
                }
                break;
            }
            Ok(_) => {}
            Err(e) => {
                walk.report.problem(&format!("the report is not XML: {e}"));
                break;
            }
        }
    }
    report
}

struct Walk<'a> {
    report: &'a mut Report,
    depth: usize,
    case: Option<Case>,
    /// The element inside a case whose text is its message.
    within: Option<String>,
}

impl Walk<'_> {
    fn start(&mut self, e: &BytesStart<'_>) {
        let name = e.local_name();
        let name: &str = name.as_ref();
        if name == "testcase" {
            let class = attribute(e, "classname").unwrap_or_default();
            let test = attribute(e, "name").unwrap_or_default();
            let seconds =
                attribute(e, "time").and_then(|t| t.replace(',', "").parse().ok()).filter(|s: &f64| s.is_finite());
            let id = format!("{}::{}", class.trim(), test.trim());
            self.case = Some(Case { id, status: Status::Passed, seconds, message: String::new() });
        } else if let Some(case) = &mut self.case {
            let status = match name {
                "skipped" => Status::Skipped,
                "failure" => Status::Failed,
                "error" => Status::Errored,
                "flakyFailure" | "flakyError" => {
                    self.report.doubt(&format!("{} was run again", case.id));
                    return;
                }
                _ => return,
            };
            if status > case.status {
                case.status = status;
                case.message = attribute(e, "message").unwrap_or_default();
                self.within = Some(name.to_owned());
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let (Some(case), Some(_)) = (&mut self.case, &self.within)
            && case.message.len() < 4000
        {
            if !case.message.is_empty() {
                case.message.push('\n');
            }
            case.message.push_str(&cut(text.trim(), 4000));
        }
    }

    fn end(&mut self, name: &str) {
        if name == "testcase"
            && let Some(case) = self.case.take()
        {
            self.report.push(case);
            self.within = None;
        } else if self.within.as_deref() == Some(name) {
            self.within = None;
        }
    }
}

/// An attribute with its entities resolved, as far as they are those of XML itself.
fn attribute(e: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = e.attributes().with_checks(false).flatten().find(|a| a.key.as_ref() == name)?;
    let raw: &str = found.value.as_ref();
    Some(quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), |text| text.into_owned()))
}
