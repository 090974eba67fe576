//! From the folders of runs into a site.

use super::{
    Artifact, Artifacts, FILES, MOST, RunArtifacts, SCHEMA, beginning, folder_of, folders_of, index_of, place,
};
use crate::results::{Dataset, Fault, Level, RunFile};
use crate::site::SiteError;
use crate::site::limits::MOST_FILES;
use crate::site::write::Output;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// Files of a site that are counted on beside pages and raw files: tables, assets and lists.
const OTHERS: usize = 400;

/// How many artifacts a site has room for: pages of tasks are one file, other pages may have two tables each.
pub fn room(pages: usize, tasks: usize, raw: usize) -> usize {
    let others = tasks + 3 * pages.saturating_sub(tasks) + raw + OTHERS;
    MOST_FILES.saturating_sub(others)
}

/// A file that may be published.
struct Found {
    run: usize,
    path: String,
    attempt: String,
    kind: usize,
    bytes: u64,
}

/// Stages the artifacts of all runs, as many as there is room for, and says what is not published.
pub fn gather(data: &Dataset, room: usize, out: &Output) -> Result<(Artifacts, Vec<Fault>), SiteError> {
    let mut all = Artifacts::default();
    let (mut faults, mut found) = (Vec::new(), Vec::new());
    let runs: Vec<(usize, &RunFile)> = data.runs.iter().enumerate().filter(|(_, r)| r.has_artifacts).collect();
    let walked: Vec<Result<_, SiteError>> = runs
        .par_iter()
        .map(|(i, run)| {
            let mut faults = Vec::new();
            Ok((walk(*i, run, &mut faults)?, faults))
        })
        .collect();
    for of_run in walked {
        let (files, told) = of_run?;
        found.extend(files);
        faults.extend(told);
    }
    let kept = choose(&found, room);
    let files: Vec<(usize, String, Artifact)> = found
        .into_par_iter()
        .zip(kept)
        .map(|(file, is_kept)| {
            let run = &data.runs[file.run];
            let artifact = stage(run, &file, is_kept, out)?;
            Ok((file.run, file.attempt, artifact))
        })
        .collect::<Result<_, SiteError>>()?;
    for (i, run) in runs {
        let mut attempts: BTreeMap<String, Vec<Artifact>> = BTreeMap::new();
        for (_, attempt, artifact) in files.iter().filter(|f| f.0 == i) {
            attempts.entry(attempt.clone()).or_default().push(artifact.clone());
        }
        if attempts.is_empty() {
            continue;
        }
        let folder = folder_of(&run.run.run);
        let index = index_of(&folder, &attempts)?;
        for piece in &index {
            out.put_with_digest(&piece.path, &piece.bytes, piece.sha256.clone())?;
        }
        faults.extend(told(run, attempts.values().flatten()));
        let root = run.dir.join("artifacts");
        all.runs.insert(run.run.run.clone(), RunArtifacts { root, folder, attempts, index });
    }
    Ok((all, faults))
}

/// The files of attempts in a run's folder, in byte order of their paths; everything else in it is told.
fn walk(run: usize, of: &RunFile, faults: &mut Vec<Fault>) -> Result<Vec<Found>, SiteError> {
    let root = of.dir.join("artifacts");
    let file = format!("artifacts of {}", of.run.run);
    let is_link = std::fs::symlink_metadata(&root).map_err(SiteError::io(&root))?.is_symlink();
    if is_link {
        faults.push(warning(&file, "are a link, which is not followed", "put the folder itself beside attempts.jsonl"));
        return Ok(Vec::new());
    }
    let folders = folders_of(of);
    let mut found = Vec::new();
    let (mut links, mut strangers) = (Vec::new(), Vec::new());
    for entry in walkdir::WalkDir::new(&root).min_depth(1) {
        let entry = entry.map_err(|e| SiteError::Io { path: root.clone(), cause: e.into() })?;
        if entry.file_type().is_dir() {
            continue;
        }
        let short = entry.path().strip_prefix(&root).unwrap_or(entry.path());
        let known = short.to_str().and_then(|path| Some((path, place(path, &folders)?)));
        match known {
            _ if entry.path_is_symlink() => links.push(short.display().to_string()),
            Some((path, (attempt, kind))) if entry.file_type().is_file() => {
                let bytes = entry.metadata().map_err(|e| SiteError::Io { path: root.clone(), cause: e.into() })?.len();
                found.push(Found { run, path: path.to_owned(), attempt: attempt.to_owned(), kind, bytes });
            }
            _ => strangers.push(short.display().to_string()),
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    links.sort();
    strangers.sort();
    for (list, what, hint) in [
        (links, "is a link, which is not followed", "put the file itself there"),
        (strangers, "belongs to no line, or has a name that is not published", "remove it, or publish it elsewhere"),
    ] {
        if let Some(first) = list.first() {
            let more = if list.len() > 1 { format!(", and so for {} more", list.len() - 1) } else { String::new() };
            faults.push(warning(&file, &format!("{first:?} {what}{more}"), hint));
        }
    }
    Ok(found)
}

/// Which files are published: every patch before any trajectory, then reports, then earlier tries.
fn choose(found: &[Found], room: usize) -> Vec<bool> {
    let runs: HashSet<usize> = found.iter().map(|f| f.run).collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|i| (found[*i].kind, *i));
    let mut kept = vec![false; found.len()];
    // An index is a file too.
    order.iter().take(room.saturating_sub(runs.len())).for_each(|i| kept[*i] = true);
    kept
}

/// Stages a file, or its beginning.
fn stage(run: &RunFile, file: &Found, is_kept: bool, out: &Output) -> Result<Artifact, SiteError> {
    let mut artifact = Artifact {
        schema: SCHEMA.into(),
        path: file.path.clone(),
        bytes: file.bytes,
        published: 0,
        sha256: String::new(),
    };
    if is_kept {
        let read = beginning(&run.dir.join("artifacts").join(&file.path), file.bytes.min(MOST))?;
        // A run at work may write while it is read.
        artifact.bytes = if file.bytes > MOST { file.bytes } else { read.len() as u64 };
        let (bytes, sha256) = super::shortened(read, artifact.bytes);
        (artifact.published, artifact.sha256) = (bytes.len() as u64, sha256.clone());
        let path = format!("{}/{FILES}/{}", folder_of(&run.run.run), file.path);
        out.put_with_digest(&path, &bytes, sha256)?;
    }
    Ok(artifact)
}

/// What of a run is not published, or not whole.
fn told<'f>(run: &RunFile, files: impl Iterator<Item = &'f Artifact>) -> Vec<Fault> {
    let (mut left_out, mut cut) = (0, 0);
    for file in files {
        left_out += usize::from(file.is_left_out());
        cut += usize::from(file.is_cut());
    }
    let file = format!("artifacts of {}", run.run.run);
    let mut faults = Vec::new();
    if left_out > 0 {
        let what = format!("{left_out} files are left out: a site has at most {MOST_FILES} files");
        faults.push(warning(&file, &what, "publish fewer runs on one site; pages say which files are left out"));
    }
    if cut > 0 {
        let what = format!("{cut} files are cut: the host takes {MOST} bytes of each");
        faults.push(warning(&file, &what, "pages say which files are cut"));
    }
    faults
}

fn warning(file: &str, what: &str, hint: &str) -> Fault {
    Fault {
        level: Level::Warning,
        file: file.to_owned(),
        line: None,
        field: None,
        what: what.to_owned(),
        hint: hint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_not_all_fit_patches_come_first_and_earlier_tries_last() {
        let file = |path: &str, kind: usize| Found { run: 0, path: path.into(), attempt: "a".into(), kind, bytes: 1 };
        let found = [file("a/patch.diff", 0), file("a/report.json", 2), file("a/trajectory.jsonl", 1)];
        let more = [file("b/patch.diff", 0), file("b/try-1/patch.diff", 3)];
        let all: Vec<Found> = found.into_iter().chain(more).collect();
        let kept = |room: usize| -> Vec<&str> {
            let kept = choose(&all, room);
            all.iter().zip(kept).filter(|(_, kept)| *kept).map(|(f, _)| f.path.as_str()).collect()
        };
        assert_eq!(kept(0), [""; 0]);
        assert_eq!(kept(3), ["a/patch.diff", "b/patch.diff"], "the index takes the place of one");
        assert_eq!(kept(4), ["a/patch.diff", "a/trajectory.jsonl", "b/patch.diff"]);
        assert_eq!(kept(9).len(), 5);
    }

    #[test]
    fn a_site_of_many_pages_has_room_for_few_artifacts() {
        assert_eq!(room(1000, 900, 50), MOST_FILES - 900 - 300 - 50 - OTHERS);
        assert_eq!(room(30_000, 30_000, 0), 0);
    }
}
