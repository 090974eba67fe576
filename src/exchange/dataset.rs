//! A suite as a dataset that others load: lines, a table, a card, and labels beside them. Once written it stays.

use super::intake::Intake;
use super::licence::{card_lines, is_terms, terms_of};
use super::record::{Record, changed};
use super::{ExchangeError, Losses, parquet};
use crate::schema::{Exposure, Model, Suite};
use crate::tasks::{Material, Task, TaskSuite, sha256};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const SCHEMA: &str = "tsbench.dataset/1";
const MANIFEST: &str = "dataset.json";
const LINES: &str = "tasks.jsonl";
const TABLE: &str = "tasks.parquet";
const CARD: &str = "README.md";
const LABELS: &str = "contamination.jsonl";
/// What to do about a dataset that does not hold together.
const AGAIN: &str = "get the dataset again from where it is published";

/// `dataset.json`: what the dataset is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Manifest {
    schema: String,
    suite: String,
    version: String,
    tool: String,
    /// The bytes of `suite.toml`.
    suite_toml: String,
    tasks: Vec<Listed>,
    files: Vec<Digested>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Listed {
    task: String,
    digest: String,
    files_sha256: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Digested {
    name: String,
    bytes: u64,
    sha256: String,
}

/// What a dataset was taken in as.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The suite's folder.
    pub dir: PathBuf,
    /// The ids of its tasks.
    pub tasks: Vec<String>,
    /// Tasks whose digest could not be made again, because their mirror is not here or they are sealed.
    pub unchecked: Vec<String>,
}

/// Writes a suite's dataset into a new folder below `out`; the folder, and what is lost.
pub fn export(
    suite: &TaskSuite,
    models: &[Model],
    mirrors: &Path,
    out: &Path,
    tool: &str,
) -> Result<(PathBuf, Losses), ExchangeError> {
    let dir = out.join(format!("{}-{}", suite.suite.id, suite.suite.version));
    if dir.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(dir));
    }
    let mut losses = Losses::default();
    let records =
        suite.tasks.iter().map(|t| Record::of(t, mirrors, &mut losses)).collect::<Result<Vec<_>, ExchangeError>>()?;
    leftovers(suite, &mut losses)?;
    let mut lines = Vec::new();
    for record in &records {
        serde_json::to_writer(&mut lines, record).map_err(|e| ExchangeError::io(&dir)(e.into()))?;
        lines.push(b'\n');
    }
    let table =
        parquet::write(&records, tool).map_err(|cause| ExchangeError::Parquet { path: dir.join(TABLE), cause })?;
    if suite.suite.licence.is_none() {
        losses.add(&suite.suite.id, "the licence is unknown: state it as licence in suite.toml, and the card has it");
    }
    let terms = terms_of(&suite.dir)?;
    let mut files = vec![
        (CARD, card(suite, &records).into_bytes()),
        (LABELS, labels(&suite.tasks, models).into_bytes()),
        (LINES, lines),
        (TABLE, table),
    ];
    files.extend(terms.iter().map(|(name, (_, bytes))| (name.as_str(), bytes.clone())));
    let suite_file = suite.dir.join("suite.toml");
    let manifest = Manifest {
        schema: SCHEMA.to_owned(),
        suite: suite.suite.id.clone(),
        version: suite.suite.version.clone(),
        tool: tool.to_owned(),
        suite_toml: std::fs::read_to_string(&suite_file).map_err(ExchangeError::io(suite_file))?,
        tasks: records.iter().map(listed).collect(),
        files: files
            .iter()
            .map(|(name, bytes)| Digested {
                name: (*name).to_owned(),
                bytes: bytes.len() as u64,
                sha256: sha256(bytes),
            })
            .collect(),
    };
    let mut text = serde_json::to_vec_pretty(&manifest).map_err(|e| ExchangeError::io(&dir)(e.into()))?;
    text.push(b'\n');
    files.push((MANIFEST, text));
    publish(out, &dir, &files)?;
    Ok((dir, losses))
}

fn listed(record: &Record) -> Listed {
    Listed {
        task: record.instance_id.clone(),
        digest: record.digest.clone(),
        files_sha256: record.files_sha256.clone(),
    }
}

/// Files of the suite's folder that belong to no task.
fn leftovers(suite: &TaskSuite, losses: &mut Losses) -> Result<(), ExchangeError> {
    for entry in std::fs::read_dir(&suite.dir).map_err(ExchangeError::io(&suite.dir))? {
        let entry = entry.map_err(ExchangeError::io(&suite.dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && name != "suite.toml" && !is_terms(&name) {
            losses.add(&suite.suite.id, format!("{name} of the suite's folder belongs to no task and is left out"));
        }
    }
    Ok(())
}

/// The folder appears whole or not at all.
fn publish(out: &Path, dir: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), ExchangeError> {
    std::fs::create_dir_all(out).map_err(ExchangeError::io(out))?;
    let stage = tempfile::Builder::new().prefix(".export-").tempdir_in(out).map_err(ExchangeError::io(out))?;
    let whole = stage.path().join("dataset");
    std::fs::create_dir(&whole).map_err(ExchangeError::io(&whole))?;
    for (name, bytes) in files {
        let path = whole.join(name);
        let mut file = std::fs::File::create_new(&path).map_err(ExchangeError::io(&path))?;
        std::io::Write::write_all(&mut file, bytes).and_then(|()| file.sync_all()).map_err(ExchangeError::io(&path))?;
    }
    std::fs::rename(&whole, dir).map_err(ExchangeError::io(dir))
}

/// One line a task: its days and commits, and a label for each model. A label is for readers; nothing is left out by it.
fn labels(tasks: &[Task], models: &[Model]) -> String {
    let mut text = String::new();
    for task in tasks {
        let merged = task.spec.merged_at();
        let label = |m: &Model| json!({"model": m.id, "cutoff": m.cutoff, "label": Exposure::of(merged, m.cutoff.as_deref()).word()});
        let source = task.spec.source.as_ref();
        let line = json!({
            "schema": "tsbench.contamination/1", "instance_id": task.spec.id, "merged_at": merged,
            "fix_commit": source.map(|s| &s.fix_commit), "margin_days": Exposure::MARGIN_DAYS,
            "models": models.iter().map(label).collect::<Vec<_>>(),
        });
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The card: how to load the dataset, and what its columns mean.
fn card(suite: &TaskSuite, records: &[Record]) -> String {
    let Suite { id, version, title, note, licence, .. } = &suite.suite;
    let size = match records.len() {
        0..1000 => "n<1K",
        1000..10_000 => "1K<n<10K",
        _ => "n>10K",
    };
    // JSON is YAML, and quotes whatever a title holds.
    let name = json!(format!("{title} {version}"));
    let repos: std::collections::BTreeSet<&str> =
        records.iter().map(|r| r.repo.as_str()).filter(|r| !r.is_empty()).collect();
    let repos = if repos.is_empty() {
        "Every task has a tree of its own, which is in the row.".to_owned()
    } else {
        let list: Vec<&str> = repos.into_iter().collect();
        format!("Code of these repositories stays under their own licences; rows name commits: {}.", list.join(", "))
    };
    let mut tasks = String::new();
    for r in records {
        let _ = writeln!(tasks, "| {} | {} | `{}` |", r.instance_id, r.language, &r.files_sha256);
    }
    format!(
        "---\npretty_name: {name}\n{}language:\n- code\ntask_categories:\n- text-generation\ntags:\n- code\n- benchmark\n- tsbench\nsize_categories:\n- {size}\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: {TABLE}\n---\n\n# {title}\n\n{}\n\nSuite `{id}`, version `{version}`. This version never changes: a change of a task makes another version.\n\n```python\nfrom datasets import load_dataset\n\ntasks = load_dataset(\"PATH OF THIS FOLDER\", split=\"test\")\n```\n\n`{LINES}` holds the same rows as `{TABLE}`. `tsbench tasks import --dataset` brings the suite back, file by file. `{MANIFEST}` has the SHA-256 of every file here and of every task. `{LABELS}` has the day of each merge and, for each model whose cutoff is published, a label: `before`, `margin` (the {} days after it), `after` or `unknown`. A label is no filter.\n\n{repos}\n\n| column | |\n|---|---|\n| `instance_id`, `suite`, `title`, `language`, `difficulty`, `use_cases` | what the task is |\n| `repo`, `base_commit`, `fix_commit`, `merged_at` | where it comes from, or empty |\n| `problem_statement` | all that an agent is told |\n| `patch`, `test_patch` | the human fix and the hidden tests; empty where they are sealed |\n| `FAIL_TO_PASS`, `PASS_TO_PASS` | targets and guards, as lists |\n| `checks` | the checks of a task that is judged by a scorecard |\n| `digest` | SHA-256 over all that makes the task what it is |\n| `files_sha256`, `files` | the task's folder: path, mode, encoding, content |\n\n| task | language | SHA-256 of its files |\n|---|---|---|\n{tasks}",
        card_lines(licence.as_deref()),
        note.trim(),
        Exposure::MARGIN_DAYS
    )
}

/// Takes a dataset in as a new suite below `root`: every file is held against its digest, every task against its own.
pub fn import(from: &Path, root: &Path, mirrors: &Path) -> Result<Taken, ExchangeError> {
    if from.symlink_metadata().is_err() {
        let hint = "name the folder of a dataset, as `tsbench tasks export` writes it; --format tells of other formats";
        return Err(ExchangeError::Nothing { path: from.to_owned(), hint });
    }
    let dir = if from.is_dir() { from } else { from.parent().unwrap_or(Path::new(".")) };
    let (manifest, lines) = read(dir)?;
    let file = dir.join(LINES);
    let suite: Suite = toml::from_str(&manifest.suite_toml)
        .map_err(|e| ExchangeError::bad(&dir.join(MANIFEST), format!("suite_toml: {e}"), AGAIN))?;
    for (what, said, stated) in [("suite", &manifest.suite, &suite.id), ("version", &manifest.version, &suite.version)]
    {
        if said != stated {
            let what = format!("{what} is {said:?}, and suite_toml says {stated:?}");
            return Err(ExchangeError::bad(&dir.join(MANIFEST), what, AGAIN));
        }
    }
    if root.join(&suite.id).symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(root.join(&suite.id)));
    }
    let stage = tempfile::Builder::new().prefix("tsb-import-").tempdir().map_err(ExchangeError::io(root))?;
    let mut intake = Intake::new(stage.path(), &suite)?;
    for (record, listed) in lines.iter().zip(&manifest.tasks) {
        let of = |what: String| {
            let what = format!("the task {:?}: {what}", record.instance_id);
            ExchangeError::bad(&file, what, AGAIN)
        };
        if record.instance_id != listed.task {
            return Err(of(format!("{MANIFEST} lists {:?} in its place", listed.task)));
        }
        let files = record.folder().map_err(of)?;
        if record.files_sha256 != listed.files_sha256 || record.digest != listed.digest {
            return Err(of(format!("its digests are not those of {MANIFEST}")));
        }
        if let Some(why) = intake.add(&record.instance_id, &files)? {
            return Err(of(why));
        }
    }
    let mut lost = Losses::default();
    let nothing = || ExchangeError::bad(&file, "there is no task in it", AGAIN);
    let staged = intake.finish(&mut lost)?.ok_or_else(nothing)?;
    let written = staged.join("suite.toml");
    std::fs::write(&written, &manifest.suite_toml).map_err(ExchangeError::io(written))?;
    let unchecked = prove(stage.path(), &lines, mirrors, &file)?;
    // Nothing stands below `root` until everything has been held against its digest.
    let mut intake = Intake::new(root, &suite)?;
    for record in &lines {
        let id = &record.instance_id;
        if let Some(why) = intake.add(id, &crate::tasks::read_folder(&staged.join(id))?)? {
            return Err(ExchangeError::bad(&file, format!("the task {id:?}: {why}"), AGAIN));
        }
    }
    let suite_dir = intake.finish(&mut lost)?.ok_or_else(nothing)?;
    let written = suite_dir.join("suite.toml");
    std::fs::write(&written, &manifest.suite_toml).map_err(ExchangeError::io(written))?;
    for name in manifest.files.iter().map(|f| &f.name).filter(|name| is_terms(name)) {
        let to = suite_dir.join(name);
        std::fs::copy(dir.join(name), &to).map_err(ExchangeError::io(to))?;
    }
    let dir = suite_dir;
    Ok(Taken { dir, tasks: lines.into_iter().map(|r| r.instance_id).collect(), unchecked })
}

fn read(dir: &Path) -> Result<(Manifest, Vec<Record>), ExchangeError> {
    let path = dir.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(ExchangeError::io(&path))?;
    let hint = "a dataset is a folder as `tsbench tasks export` writes it";
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|e| ExchangeError::bad(&path, e.to_string(), hint))?;
    if manifest.schema != SCHEMA {
        return Err(ExchangeError::bad(&path, format!("schema {:?}; expected {SCHEMA:?}", manifest.schema), hint));
    }
    let path = dir.join(LINES);
    if !manifest.files.iter().any(|f| f.name == LINES) {
        return Err(ExchangeError::bad(&dir.join(MANIFEST), format!("{LINES} is not among its files"), AGAIN));
    }
    manifest.files.iter().try_for_each(|listed| held(dir, listed))?;
    let bytes = std::fs::read(&path).map_err(ExchangeError::io(&path))?;
    if let Some((what, _)) = crate::schema::no_text(&bytes) {
        return Err(ExchangeError::bad(&path, what, AGAIN));
    }
    let mut records = Vec::new();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.is_empty()) {
        let record = serde_json::from_slice(line)
            .map_err(|e| ExchangeError::bad(&path, format!("line {}: {e}", i + 1), hint))?;
        records.push(record);
    }
    if records.len() != manifest.tasks.len() {
        let what = format!("has {} rows, {MANIFEST} lists {}", records.len(), manifest.tasks.len());
        return Err(ExchangeError::bad(&path, what, hint));
    }
    Ok((manifest, records))
}

/// Holds a file against what the manifest lists of it.
fn held(dir: &Path, listed: &Digested) -> Result<(), ExchangeError> {
    let path = dir.join(&listed.name);
    if super::intake::unusable(&listed.name).is_some() {
        let what = format!("it lists the file {:?}, which is no name of a file here", listed.name);
        return Err(ExchangeError::bad(&dir.join(MANIFEST), what, AGAIN));
    }
    let bytes = match std::fs::read(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(ExchangeError::bad(&path, format!("it is missing, and {MANIFEST} lists it"), AGAIN));
        }
        read => read.map_err(ExchangeError::io(&path))?,
    };
    if listed.sha256 != sha256(&bytes) || listed.bytes != bytes.len() as u64 {
        let what = format!("has the digest {}, which is not the one of {MANIFEST}", sha256(&bytes));
        return Err(ExchangeError::bad(&path, what, AGAIN));
    }
    Ok(())
}

/// Holds every task against its digest and its columns; those for which that is not possible here are named.
fn prove(root: &Path, records: &[Record], mirrors: &Path, file: &Path) -> Result<Vec<String>, ExchangeError> {
    let suites = crate::tasks::load(root)?;
    let mut unchecked = Vec::new();
    for task in suites.iter().flat_map(|s| &s.tasks) {
        let Some(record) = records.iter().find(|r| r.instance_id == task.spec.id) else { continue };
        let of = |what: String| ExchangeError::bad(file, format!("the task {:?} {what}", task.spec.id), AGAIN);
        let contradicts = |columns: Vec<String>| match columns.as_slice() {
            [] => Ok(()),
            all => Err(of(format!("has other files than these columns say: {}", all.join(", ")))),
        };
        let sealed = task.spec.sealed.is_some();
        let told = if sealed { record.clone() } else { record.stated_part() };
        contradicts(Record::stated(task)?.differing(&told))?;
        match Material::prepare(task, mirrors) {
            Ok(m) if m.digest == record.digest => contradicts(changed(record, &m)?)?,
            Ok(m) => return Err(of(format!("has the digest {}, not {}", m.digest, record.digest))),
            Err(_) if !record.repo.is_empty() || record.digest.is_empty() => unchecked.push(task.spec.id.clone()),
            Err(e) => return Err(e.into()),
        }
    }
    Ok(unchecked)
}
