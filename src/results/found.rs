//! What stands in a results folder: plans, records, and what should not stand there.

use super::plan::{PublisherFile, read_publisher, read_run, read_small};
use super::{Fault, ResultsError};
use crate::schema::Run;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The files that a results folder is read from.
const RECORDS: [&str; 3] = ["run.json", "attempts.jsonl", "publisher.json"];

/// Plans and records, read and checked, and the faults of those that were not usable.
#[derive(Default)]
pub(super) struct Found {
    pub plans: Vec<(PathBuf, Vec<u8>, Run)>,
    pub publishers: Vec<PublisherFile>,
    pub faults: Vec<Fault>,
}

impl Found {
    /// Walks the folder and reads everything but the attempts.
    pub fn below(root: &Path) -> Result<Found, ResultsError> {
        let mut found = Found::default();
        // Artifacts are read by nobody here and may be many; hidden folders are somebody's work in progress.
        let passed_by = |e: &walkdir::DirEntry| {
            let name = e.file_name();
            let is_open = e.file_type().is_dir() || e.path_is_symlink();
            name.as_encoded_bytes().starts_with(b".") || (name == "artifacts" && is_open)
        };
        for entry in walkdir::WalkDir::new(root)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|e| e.depth() == 0 || !passed_by(e))
        {
            let entry = entry.map_err(|e| ResultsError::Io { path: root.to_owned(), cause: e.into() })?;
            if entry.file_type().is_file() && entry.file_name() != "artifacts" {
                found.take(root, entry.path())?;
            } else if entry.path_is_symlink() && entry.depth() > 0 {
                found.pass_link(root, entry.path());
            } else if entry.depth() > 0 {
                found.pass_other(root, &entry);
            }
        }
        found.check_names(root);
        // By name, not by folder: a site keeps each run in a folder of its own naming, and reads back the same order.
        found.plans.sort_by(|a, b| a.2.run.cmp(&b.2.run));
        found.publishers.sort_by(|a, b| a.record.run.cmp(&b.record.run));
        Ok(found)
    }

    fn take(&mut self, root: &Path, path: &Path) -> Result<(), ResultsError> {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let file = relative(root, path);
        let dir = path.parent().unwrap_or(root);
        match name {
            "run.json" => match read_small(path, &file)?
                .map_err(|f| vec![f])
                .and_then(|bytes| read_run(&file, &bytes).map(|run| (bytes, run)))
            {
                Ok((bytes, run)) => self.plans.push((dir.to_owned(), bytes, run)),
                Err(faults) => self.faults.extend(faults),
            },
            "publisher.json" => {
                match read_small(path, &file)?.map_err(|f| vec![f]).and_then(|bytes| read_publisher(&file, dir, bytes))
                {
                    Ok(record) => self.publishers.push(record),
                    Err(faults) => self.faults.extend(faults),
                }
            }
            "attempts.jsonl" if !dir.join("run.json").is_file() => {
                self.faults.push(Fault::error(
                    &file,
                    "has no run.json beside it",
                    "attempts belong to a locked plan: add the run's run.json",
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// Links are not followed: what is published must stand in the folder that is published.
    fn pass_link(&mut self, root: &Path, path: &Path) {
        let fault = Fault::error(
            &relative(root, path),
            "is a symbolic link and is not followed",
            "put the file or folder itself there",
        );
        let is_record = RECORDS.iter().any(|name| path.ends_with(name));
        self.faults.push(if is_record { fault } else { fault.warning() });
    }

    /// What stands where a record belongs and is no file must not pass for a run without lines.
    fn pass_other(&mut self, root: &Path, entry: &walkdir::DirEntry) {
        let file = relative(root, entry.path());
        let kind = kind_of(entry.file_type());
        if entry.file_name() == "artifacts" {
            let hint = "artifacts/ is the folder of patches, trajectories and reports";
            self.faults.push(Fault::error(&file, format!("is {kind}, not a folder"), hint));
        } else if RECORDS.iter().any(|name| entry.file_name() == *name) {
            let hint = "put the file itself there: nothing else is read";
            self.faults.push(Fault::error(&file, format!("is {kind}, not a file"), hint));
        }
    }

    /// Two plans with one name would mix their attempts: the second is a fault and is not read.
    fn check_names(&mut self, root: &Path) {
        let mut seen: HashMap<String, String> = HashMap::new();
        let faults = &mut self.faults;
        let mut is_first = |place: String, name: &str| {
            if let Some(first) = seen.get(name) {
                faults.push(
                    Fault::error(&place, format!("run {name:?} is also in {first}"), "give each run its own name")
                        .field("run"),
                );
                return false;
            }
            seen.insert(name.to_owned(), place);
            true
        };
        self.plans.retain(|(dir, _, run)| is_first(relative(root, &dir.join("run.json")), &run.run));
        self.publishers.retain(|p| is_first(relative(root, &p.dir.join("publisher.json")), &p.record.run));
    }
}

/// What an entry of a folder is, in words.
fn kind_of(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_file() => "a file",
        () if kind.is_symlink() => "a link",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

/// A file as faults name it: below the folder that was read.
pub(super) fn relative(root: &Path, path: &Path) -> String {
    let short = path.strip_prefix(root).unwrap_or(path);
    let name = root.file_name().and_then(|n| n.to_str()).unwrap_or("results");
    format!("{name}/{}", short.display())
}
