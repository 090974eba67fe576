use super::limits::{MOST_BYTES, MOST_CASES, MOST_LINE, cut};
use super::{Case, Report, Status};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// How packages are called in ids: by their folder, seen from the root of the repository.
#[derive(Clone, Debug, Default)]
pub struct GoNames {
    /// The module path of `go.mod`.
    pub module: String,
    /// The folder of `go.mod`; empty for the root.
    pub dir: String,
}

impl GoNames {
    /// `example.com/m/internal/x` in the module `example.com/m` → `internal/x`; the module itself → `.`.
    fn folder(&self, package: &str) -> String {
        let inside = match package.strip_prefix(&self.module) {
            Some("") => "",
            Some(rest) if rest.starts_with('/') => &rest[1..],
            _ => return package.to_owned(),
        };
        match (self.dir.as_str(), inside) {
            ("", "") => ".".to_owned(),
            ("", inside) => inside.to_owned(),
            (dir, "") => dir.to_owned(),
            (dir, inside) => format!("{dir}/{inside}"),
        }
    }
}

/// A line of `go test -json`; unknown fields and actions are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    package: Option<String>,
    #[serde(default)]
    import_path: String,
    test: Option<String>,
    elapsed: Option<f64>,
    #[serde(default)]
    output: String,
}

/// Reads the lines of `go test -json`; ids are `<folder of the package>::<Test/sub>`.
///
/// A test passes only if it was seen to run and to pass. Lines that are not JSON are what a build prints. A package
/// that fails without a failing test of its own is a problem. The seal stays open: these lines have none.
pub fn parse_go(bytes: &[u8], names: &GoNames) -> Report {
    let mut report = Report::default();
    if bytes.len() > MOST_BYTES {
        report.problem(&format!("the report is longer than {MOST_BYTES} bytes"));
        return report;
    }
    let mut run = Run::default();
    for raw in bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        if raw.len() > MOST_LINE {
            report.problem(&format!("a line of the report is longer than {MOST_LINE} bytes"));
        } else if let Ok(event) = serde_json::from_slice::<Event>(raw) {
            run.take(&mut report, event, names);
        }
    }
    run.finish(&mut report);
    report
}

type Test = (String, String);

#[derive(Default)]
struct Run {
    /// Tests that began and did not end, with what they printed.
    open: BTreeMap<Test, String>,
    /// What builds and packages printed, by import path.
    said: HashMap<String, String>,
    /// Packages with a failing test, and packages that ended.
    failing: std::collections::BTreeSet<String>,
    ended: BTreeMap<String, bool>,
    begun: std::collections::BTreeSet<String>,
}

impl Run {
    fn take(&mut self, report: &mut Report, event: Event, names: &GoNames) {
        let package = event.package.clone().unwrap_or_default();
        let folder = names.folder(&package);
        match (event.action.as_str(), event.test) {
            ("start", None) => {
                self.begun.insert(folder);
            }
            ("run", Some(test)) if self.open.len() < MOST_CASES => {
                self.begun.insert(folder.clone());
                if self.open.insert((folder, test), String::new()).is_some() {
                    report.problem("a test began twice without ending");
                }
            }
            ("output", Some(test)) => {
                if let Some(said) = self.open.get_mut(&(folder, test)) {
                    append(said, &event.output);
                }
            }
            ("output" | "build-output", None) => {
                let who = if event.import_path.is_empty() { folder } else { event.import_path };
                if self.said.len() < 10_000 {
                    append(self.said.entry(who).or_default(), &event.output);
                }
            }
            ("build-fail", None) => {
                let said = self.said.remove(&event.import_path).unwrap_or_default();
                report.problem(&format!("build of {}: {said}", cut(&event.import_path, 200)));
            }
            (action @ ("pass" | "fail" | "skip"), Some(test)) => {
                let status = match action {
                    "pass" => Status::Passed,
                    "skip" => Status::Skipped,
                    _ => Status::Failed,
                };
                self.case(report, (folder, test), status, event.elapsed);
            }
            (action @ ("pass" | "fail" | "skip"), None) => {
                self.ended.insert(folder, action != "fail");
            }
            _ => {}
        }
    }

    fn case(&mut self, report: &mut Report, test: Test, status: Status, seconds: Option<f64>) {
        let said = self.open.remove(&test);
        if status == Status::Failed {
            self.failing.insert(test.0.clone());
        }
        // An end without a beginning was not written by the test machinery.
        let (status, message) = match said {
            None if status != Status::Failed => (Status::Errored, "it ended without having begun".to_owned()),
            Some(_) if status == Status::Passed => (status, String::new()),
            said => (status, said.unwrap_or_default()),
        };
        report.push(Case { id: format!("{}::{}", test.0, test.1), status, seconds, message });
    }

    fn finish(self, report: &mut Report) {
        for ((folder, test), said) in self.open {
            report.push(Case {
                id: format!("{folder}::{test}"),
                status: Status::Errored,
                seconds: None,
                message: said,
            });
        }
        for (folder, well) in &self.ended {
            if !well && !self.failing.contains(folder) {
                let said = self.said.get(folder).map_or("", String::as_str);
                report.problem(&format!("package {folder}: {said}"));
            }
        }
        for folder in self.begun.iter().filter(|f| !self.ended.contains_key(*f)) {
            report.problem(&format!("package {folder} never came to its end"));
        }
    }
}

fn append(said: &mut String, more: &str) {
    if said.len() < 4000 {
        said.push_str(&cut(more, 4000));
    }
}
