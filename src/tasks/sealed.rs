use super::files::{Files, read, read_folder, write_folder};
use super::load::Task;
use super::{TaskError, sha256};
use crate::git::Mode;
use crate::schema::{Sealed, TaskSpec};
use age::x25519::{Identity, Recipient};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The encrypted archive of a sealed task, beside its `task.toml`.
pub const SEALED_FILE: &str = "sealed.age";
/// What an opened seal leaves in the folder, so that anybody can make the commitment again.
const DISCLOSED_FILE: &str = "disclosed.json";
/// Within the archive: a salt, and the digests of the files that were public when it was made.
const SEAL_ENTRY: &str = ".seal";
const SEAL_SCHEMA: &str = "tsbench.seal/1";
const TASK_TOML: &str = "task.toml";
const KEY_HINT: &str =
    "a key is a file with a line AGE-SECRET-KEY-1…, as `tsbench tasks new-key` or age-keygen write it";

/// What opens seals: the identities of one file.
pub struct Key {
    file: PathBuf,
    identities: Vec<Box<dyn age::Identity + Send + Sync>>,
}

impl Key {
    /// Reads a file of age identities.
    pub fn read(file: &Path) -> Result<Key, TaskError> {
        let bytes = read(file)?;
        // The file is wrong, whatever it was to open.
        let bad = |what: String| TaskError::bad(file, what, KEY_HINT);
        let identities = age::IdentityFile::from_buffer(bytes.as_slice()).map_err(|e| bad(e.to_string()))?;
        let identities = identities.into_identities().map_err(|e| bad(e.to_string()))?;
        if identities.is_empty() {
            return Err(bad("there is no key in it".into()));
        }
        Ok(Key { file: file.to_owned(), identities })
    }
}

/// Writes a new key, for its owner's eyes alone; the recipient to seal for.
pub fn new_key(file: &Path) -> Result<String, TaskError> {
    use age::secrecy::ExposeSecret as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let identity = Identity::generate();
    let recipient = identity.to_public().to_string();
    let mut options = std::fs::OpenOptions::new();
    let mut out = options.write(true).create_new(true).mode(0o600).open(file).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            TaskError::bad(file, "something is there already", "a key is never written over another: name a new file")
        }
        _ => TaskError::io(file)(e),
    })?;
    let text = format!("# public key: {recipient}\n{}\n", identity.to_string().expose_secret());
    out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).map_err(TaskError::io(file))?;
    Ok(recipient)
}

/// Those for whom a task is sealed, of their texts `age1…`.
pub fn recipients(texts: &[String]) -> Result<Vec<Recipient>, TaskError> {
    let one = |text: &String| {
        text.parse().map_err(|why: &str| TaskError::Recipient {
            text: text.clone(),
            what: why.to_owned(),
            hint: "a recipient begins with age1, as `tsbench tasks new-key` or age-keygen -y print it",
        })
    };
    texts.iter().map(one).collect()
}

/// Whether a file of the folder stays public.
fn is_public(path: &str, whole: bool) -> bool {
    !whole && (path == "problem.md" || path.starts_with("repo/"))
}

/// Seals a task in its folder: tests, fix, names of tests and everything else that is not told to an agent go into an
/// encrypted archive; with `whole`, statement and tree too.
pub fn seal(task: &Task, recipients: &[Recipient], whole: bool) -> Result<Sealed, TaskError> {
    let at = |name: &str| task.dir.join(name);
    if task.spec.sealed.is_some() {
        return Err(TaskError::bad(at(TASK_TOML), "is sealed already", "open it with tasks unseal first"));
    }
    let mut files = read_folder(&task.dir)?;
    files.remove(DISCLOSED_FILE);
    let public: Files =
        files.iter().filter(|(p, _)| is_public(p, whole)).map(|(p, f)| (p.clone(), f.clone())).collect();
    files.retain(|path, _| !is_public(path, whole));
    let names: Vec<String> = files.keys().filter(|p| *p != TASK_TOML).cloned().collect();
    files.insert(SEAL_ENTRY.to_owned(), (Mode::File, seal_text(&salt()?, &public).into_bytes()));
    let archive = archive_of(&files).map_err(TaskError::io(&task.dir))?;
    let encrypted = encrypt(&archive, recipients).map_err(TaskError::io(at(SEALED_FILE)))?;
    let spec = &task.spec;
    let sealed = Sealed {
        archive_sha256: sha256(&archive),
        file_sha256: sha256(&encrypted),
        targets: spec.targets.len() as u64,
        guards: spec.guards.len() as u64,
        checks: spec.scorecard.as_ref().map(|c| c.checks.len() as u64),
    };
    // The archive is safe on the disk before anything of what it holds goes.
    replace(&at(SEALED_FILE), &encrypted)?;
    replace(&at(TASK_TOML), public_spec(spec, sealed.clone(), whole, &task.dir)?.as_bytes())?;
    for name in names {
        std::fs::remove_file(at(&name)).map_err(TaskError::io(at(&name)))?;
    }
    remove_empty(&task.dir);
    if whole {
        replace(&at("problem.md"), b"The statement of this task is sealed.\n")?;
    }
    let _ = std::fs::remove_file(at(DISCLOSED_FILE));
    Ok(sealed)
}

/// What everybody may know: nothing that names a test or leads to the fix.
fn public_spec(spec: &TaskSpec, sealed: Sealed, whole: bool, dir: &Path) -> Result<String, TaskError> {
    let public = TaskSpec {
        targets: Vec::new(),
        guards: Vec::new(),
        protected: Vec::new(),
        unprotected: Vec::new(),
        source: None,
        base: spec.base.clone().filter(|_| !whole),
        scorecard: None,
        sealed: Some(sealed),
        ..spec.clone()
    };
    toml::to_string(&public)
        .map_err(|e| TaskError::bad(dir.join(TASK_TOML), e.to_string(), "this is a fault of tsbench"))
}

fn salt() -> Result<[u8; 32], TaskError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 32];
    std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut bytes)).map_err(TaskError::io(path))?;
    Ok(bytes)
}

fn seal_text(salt: &[u8], public: &Files) -> String {
    let mut text = format!("{SEAL_SCHEMA}\nsalt {}\n", sha256(salt));
    for (path, (mode, bytes)) in public {
        let _ = writeln!(text, "public {} {} {path}", mode.word(), sha256(bytes));
    }
    text
}

/// An archive that depends on nothing but the files: no times, no owners.
fn archive_of(files: &Files) -> std::io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, (mode, bytes)) in files {
        let mut header = tar::Header::new_gnu();
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mode(if *mode == Mode::Executable { 0o755 } else { 0o644 });
        if *mode == Mode::Link {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_size(0);
            builder.append_link(&mut header, path, &*String::from_utf8_lossy(bytes))?;
        } else {
            header.set_size(bytes.len() as u64);
            builder.append_data(&mut header, path, bytes.as_slice())?;
        }
    }
    builder.into_inner()
}

fn files_of(archive: &[u8]) -> std::io::Result<Files> {
    let mut files = Files::new();
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        let file = if kind.is_symlink() {
            (Mode::Link, entry.link_name_bytes().unwrap_or_default().into_owned())
        } else if kind.is_file() {
            let mode = if entry.header().mode()? & 0o111 != 0 { Mode::Executable } else { Mode::File };
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            (mode, bytes)
        } else {
            return Err(std::io::Error::other(format!("{path:?} is neither file nor link")));
        };
        files.insert(path, file);
    }
    Ok(files)
}

fn encrypt(archive: &[u8], recipients: &[Recipient]) -> std::io::Result<Vec<u8>> {
    let each = recipients.iter().map(|r| r as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(each).map_err(std::io::Error::other)?;
    let mut out = Vec::new();
    let mut writer = encryptor.wrap_output(&mut out)?;
    writer.write_all(archive)?;
    writer.finish()?;
    Ok(out)
}

/// The sealed files of a task, held against both commitments, and against its public files as they are now.
fn open(task: &Task, sealed: &Sealed, key: &Key) -> Result<Files, TaskError> {
    let id = &task.spec.id;
    let file = task.dir.join(SEALED_FILE);
    let encrypted = read(&file)?;
    let differs = |what: String| {
        TaskError::bad(&file, what, "it is not what task.toml committed to: get both from where the task is published")
    };
    if sha256(&encrypted) != sealed.file_sha256 {
        return Err(differs(format!("has the digest {}, not {}", sha256(&encrypted), sealed.file_sha256)));
    }
    let with = format!("{} does not open it", key.file.display());
    let refused = |e: age::DecryptError| TaskError::Key {
        task: id.clone(),
        what: format!("{with}: {e}"),
        hint: "the key must belong to one of those for whom the task was sealed",
    };
    let decryptor = age::Decryptor::new(encrypted.as_slice()).map_err(refused)?;
    let refused = |e: age::DecryptError| TaskError::Key {
        task: id.clone(),
        what: format!("{with}: {e}"),
        hint: "the key must belong to one of those for whom the task was sealed",
    };
    let mut reader = decryptor.decrypt(key.identities.iter().map(|i| &**i as &dyn age::Identity)).map_err(refused)?;
    let mut archive = Vec::new();
    reader.read_to_end(&mut archive).map_err(TaskError::io(&file))?;
    if sha256(&archive) != sealed.archive_sha256 {
        return Err(differs(format!("holds an archive with the digest {}", sha256(&archive))));
    }
    files_of(&archive).map_err(TaskError::io(&file))
}

/// The public files that a seal was made beside, as they are now; an error where one has changed.
fn public_files(dir: &Path, seal: &str) -> Result<Files, TaskError> {
    let listed: BTreeSet<&str> = seal.lines().filter(|l| l.starts_with("public ")).collect();
    let mut now = read_folder(dir)?;
    now.retain(|path, _| is_public(path, false) && !listed.is_empty());
    let of_now = seal_text(&[], &now);
    let found: BTreeSet<&str> = of_now.lines().filter(|l| l.starts_with("public ")).collect();
    match listed.symmetric_difference(&found).next() {
        None => Ok(now),
        Some(line) => Err(TaskError::bad(
            dir,
            format!("was another one when it was sealed: {line}"),
            "statement and tree belong to what was committed to: get the folder from where the task is published",
        )),
    }
}

/// Opens a sealed task for this process: its folder is a temporary one that vanishes with the last copy of the value.
/// A task that is not sealed stays as it is.
pub fn unseal(task: Task, key: &Key) -> Result<Task, TaskError> {
    let Some(sealed) = &task.spec.sealed else { return Ok(task) };
    let mut files = open(&task, sealed, key)?;
    let seal = take_seal(&mut files);
    files.extend(public_files(&task.dir, &seal)?);
    let dir =
        tempfile::Builder::new().prefix("tsb-unsealed-").tempdir().map_err(TaskError::io(std::env::temp_dir()))?;
    write_folder(dir.path(), &files)?;
    let mut opened = task.read_again(dir.path())?;
    opened.held = Some(Arc::new(dir));
    Ok(opened)
}

fn take_seal(files: &mut Files) -> String {
    let seal = files.remove(SEAL_ENTRY).map(|(_, bytes)| bytes).unwrap_or_default();
    String::from_utf8_lossy(&seal).into_owned()
}

/// What an opened seal leaves: enough to make the commitment again from the files beside it.
#[derive(Serialize, Deserialize)]
struct Disclosed {
    archive_sha256: String,
    seal: String,
}

/// Opens a sealed task for good: its files are in its folder again, and what is left proves that they are the ones that
/// were committed to.
pub fn unseal_in_place(task: &Task, key: &Key) -> Result<(), TaskError> {
    let at = |name: &str| task.dir.join(name);
    let Some(sealed) = &task.spec.sealed else {
        return Err(TaskError::bad(at(TASK_TOML), "is not sealed", "there is nothing to open"));
    };
    let mut files = open(task, sealed, key)?;
    let seal = take_seal(&mut files);
    public_files(&task.dir, &seal)?;
    let Some((_, spec)) = files.remove(TASK_TOML) else {
        return Err(TaskError::bad(at(SEALED_FILE), "holds no task.toml", "it was not made by tsbench"));
    };
    let problem = files.remove("problem.md");
    write_folder(&task.dir, &files)?;
    if let Some((_, bytes)) = problem {
        replace(&at("problem.md"), &bytes)?;
    }
    let left = Disclosed { archive_sha256: sealed.archive_sha256.clone(), seal };
    let left = serde_json::to_vec_pretty(&left).map_err(|e| TaskError::io(at(DISCLOSED_FILE))(e.into()))?;
    replace(&at(DISCLOSED_FILE), &left)?;
    replace(&at(TASK_TOML), &spec)?;
    std::fs::remove_file(at(SEALED_FILE)).map_err(TaskError::io(at(SEALED_FILE)))
}

/// What is wrong with a task's seal, or with what was disclosed of it, as far as that can be told without a key.
pub fn disclosed(task: &Task) -> Result<Vec<String>, TaskError> {
    let mut files = read_folder(&task.dir)?;
    if let Some(sealed) = &task.spec.sealed {
        let mut found = Vec::new();
        match files.get(SEALED_FILE) {
            None => found.push(format!("{SEALED_FILE} is missing: without it the task cannot be opened")),
            Some((_, bytes)) if sha256(bytes) != sealed.file_sha256 => {
                found.push(format!("{SEALED_FILE} is not the one that task.toml committed to"));
            }
            Some(_) => {}
        }
        let known = |p: &str| is_public(p, false) || p == TASK_TOML || p == SEALED_FILE;
        found.extend(files.keys().filter(|p| !known(p)).map(|p| format!("{p} stands open beside the seal: remove it")));
        return Ok(found);
    }
    let Some((_, left)) = files.remove(DISCLOSED_FILE) else { return Ok(Vec::new()) };
    let Ok(left) = serde_json::from_slice::<Disclosed>(&left) else {
        return Ok(vec![format!("{DISCLOSED_FILE} is not what tasks unseal writes")]);
    };
    if let Err(e) = public_files(&task.dir, &left.seal) {
        return Ok(vec![e.to_string()]);
    }
    let whole = !left.seal.lines().any(|l| l.starts_with("public "));
    files.retain(|path, _| !is_public(path, whole));
    files.insert(SEAL_ENTRY.to_owned(), (Mode::File, left.seal.into_bytes()));
    let archive = archive_of(&files).map_err(TaskError::io(&task.dir))?;
    let same = sha256(&archive) == left.archive_sha256;
    let what = "the files are not the ones that were sealed: the commitment cannot be made again from them";
    Ok(if same { Vec::new() } else { vec![what.to_owned()] })
}

/// Replaces a file whole: what was there stays until the new one is on the disk.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), TaskError> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut part = tempfile::Builder::new().prefix(".seal-").tempfile_in(dir).map_err(TaskError::io(dir))?;
    part.write_all(bytes).and_then(|()| part.as_file().sync_all()).map_err(TaskError::io(path))?;
    let file = part.persist(path).map_err(|e| TaskError::io(path)(e.error))?;
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644)).map_err(TaskError::io(path))
}

/// Removes folders below one that hold nothing any more.
fn remove_empty(dir: &Path) {
    let folders = walkdir::WalkDir::new(dir).min_depth(1).contents_first(true).into_iter().flatten();
    for folder in folders.filter(|e| e.file_type().is_dir()) {
        let _ = std::fs::remove_dir(folder.path());
    }
}
