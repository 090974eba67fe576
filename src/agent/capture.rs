//! What an agent left in its workspace: listed, chosen, and read in one pass, straight out of the sandbox.
//!
//! Nothing is copied inside, so that neither a full disk nor what an agent planted can pass for its work, and the clock of
//! the agent stands still.

use super::AgentError;
use super::left_out::LeftOut;
use super::listing::{self, Found};
use crate::git::{GitError, Mode, Store, Tree, TreeId, refusal_of_path, run_blocking};
use crate::sandbox::{Body, Command, End, Finished, Kept, Sandbox, unpack};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

/// The folder that agents work in.
const WORKSPACE: &str = "/workspace";
/// Seconds for each of our own commands: charged to nobody.
const SECONDS: u64 = 300;
/// Bytes of one file; a larger one is left out.
const MOST_FILE: u64 = 64 << 20;
/// Bytes of all files that are read.
const MOST_BYTES: u64 = 512 << 20;
/// Files that are read.
const MOST_FILES: usize = 250_000;
/// Bytes of the list of names.
const MOST_LIST: usize = 512 << 20;
/// Bytes of a path whose rules are asked for.
const MOST_PATH: usize = 4096;
/// Bytes that an archive needs for a file beside its content and its name, and at its end.
const PER_FILE: u64 = 4 << 10;

/// What the listing ends with where the workspace is no folder, or none that can be entered.
const NO_FOLDER: i32 = 91;

/// Everything in a workspace by path.
type Workspace = BTreeMap<Vec<u8>, Found>;

/// The files of a workspace by path.
pub type Files = BTreeMap<String, (Mode, Vec<u8>)>;

/// A workspace as it is at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captured {
    /// The files that can be in a patch.
    pub files: Files,
    /// The others: what stood in their places before is neither changed nor removed.
    pub left_out: LeftOut,
}

impl From<Files> for Captured {
    fn from(files: Files) -> Captured {
        Captured { files, left_out: LeftOut::default() }
    }
}

/// Why no patch can be taken from a workspace: what the agent left, and nothing of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unpatched {
    /// The workspace is no folder that can be read.
    Unreadable(String),
    /// It holds more than is read.
    TooLarge(String),
}

impl Unpatched {
    /// The class of the failure on a line.
    pub const fn class(&self) -> &'static str {
        match self {
            Unpatched::Unreadable(_) => "workspace_unreadable",
            Unpatched::TooLarge(_) => "workspace_too_large",
        }
    }

    /// What was seen.
    pub fn why(&self) -> &str {
        match self {
            Unpatched::Unreadable(why) | Unpatched::TooLarge(why) => why,
        }
    }
}

/// Lists the workspace. What cannot be read is made readable first, the folder itself too.
fn list_it() -> String {
    let find = listing::find();
    format!(
        r#"[ -d "$1" ] && [ ! -L "$1" ] || exit {NO_FOLDER}
chmod u+rwx "$1" 2>/dev/null
cd "$1" && [ -r . ] || exit {NO_FOLDER}
chmod -R u+rwX . 2>/dev/null
exec {find}"#
    )
}

/// What is to be read, and what is known without reading.
#[derive(Default)]
struct Chosen {
    /// Regular files with their modes and sizes.
    regular: BTreeMap<String, (Mode, u64)>,
    links: Files,
    left_out: LeftOut,
}

/// The workspace as it is now, without what the starting tree ignores. The inner error is the agent's own doing; a
/// listing or a reading that broke off is an error of ours, and never says that a file is gone.
pub async fn capture(
    sandbox: &mut dyn Sandbox,
    store: &Store,
    start: &TreeId,
) -> Result<Result<Captured, Unpatched>, AgentError> {
    let words = ["sh", "-c", &list_it(), "capture", &sandbox.path(WORKSPACE)].map(str::to_owned);
    let listed = sandbox.exec(&ours(words, Vec::new(), MOST_LIST)).await?;
    if listed.end == End::Exit(NO_FOLDER) {
        return Ok(Err(Unpatched::Unreadable("the workspace is no folder that can be read".to_owned())));
    }
    if let Err(unpatched) = ended(&listed, "list")? {
        return Ok(Err(unpatched));
    }
    let mut chosen = match run_blocking(|| choose(&whole(listed.stdout), store, start))? {
        Ok(chosen) => chosen,
        Err(unpatched) => return Ok(Err(unpatched)),
    };
    let mut files = std::mem::take(&mut chosen.links);
    if !chosen.regular.is_empty() {
        let names: Vec<u8> = chosen.regular.keys().flat_map(|p| [b"./", p.as_bytes(), b"\0"].concat()).collect();
        let most = chosen.regular.iter().map(|(path, (_, size))| size + 2 * path.len() as u64 + PER_FILE).sum::<u64>();
        let tar = ["tar", "-C", &sandbox.path(WORKSPACE), "--hard-dereference", "--no-recursion"];
        let words = tar.into_iter().chain(["--format=gnu", "-cf", "-", "--null", "-T", "-"]).map(str::to_owned);
        let read = sandbox.exec(&ours(words, names, usize::try_from(most + PER_FILE).unwrap_or(usize::MAX))).await?;
        if let Err(unpatched) = ended(&read, "read")? {
            return Ok(Err(unpatched));
        }
        files.extend(run_blocking(|| unpacked(&read.stdout, &chosen.regular, most))?);
    }
    Ok(Ok(Captured { files, left_out: chosen.left_out }))
}

/// A command of ours. It does not begin in the workspace, which may be no folder any more.
fn ours(words: impl IntoIterator<Item = String>, stdin: Vec<u8>, output_bytes: usize) -> Command {
    // Half is kept from the beginning: all of it must fit into that, so that it needs no joining.
    let output_bytes = output_bytes.saturating_mul(2);
    Command { dir: "/".to_owned(), seconds: SECONDS, stdin, output_bytes, ..Command::new(words) }
}

/// How a command of ours ended: whole, or too much for it, which is the agent's doing. All else is a fault of ours.
fn ended(done: &Finished, doing: &str) -> Result<Result<(), Unpatched>, AgentError> {
    let too_large =
        |what: String| Ok(Err(Unpatched::TooLarge(format!("the workspace holds too much to {doing} it: {what}"))));
    match done.end {
        End::Exit(0) if done.stdout.cut() == 0 => Ok(Ok(())),
        End::Exit(0) => too_large("the list of its names is too long".to_owned()),
        End::TimedOut => too_large(format!("it takes more than {SECONDS} s")),
        End::OutOfMemory => too_large("it takes more memory than the sandbox has".to_owned()),
        End::DiskLimit => too_large("it takes more disk than the sandbox may".to_owned()),
        End::Exit(_) | End::Signal(_) => {
            let said = done.stderr.text();
            let last: String = said.trim().lines().rev().take(3).collect::<Vec<_>>().join("; ");
            Err(AgentError::Capture { what: format!("to {doing} it ended with {:?}: {last}", done.end) })
        }
    }
}

/// The bytes of an output of which nothing was cut.
fn whole(kept: Kept) -> Vec<u8> {
    match kept.tail.is_empty() {
        true => kept.head,
        false => [kept.head, kept.tail].concat(),
    }
}

/// Chooses what is read: what the starting tree has, and what it does not ignore.
fn choose(list: &[u8], store: &Store, start: &TreeId) -> Result<Result<Chosen, Unpatched>, AgentError> {
    let broken = || AgentError::Capture { what: "the list of its names is cut short".to_owned() };
    let all = listing::read(list).ok_or_else(broken)?;
    let tree = store.read(start)?;
    let ignored = ignored(&all, store, start, &tree)?;
    let mut chosen = Chosen::default();
    for (path, found) in all.iter().filter(|(path, _)| !ignored.contains(*path)) {
        match file_of(&all, path, found) {
            None => {}
            Some(Err(why)) => chosen.left_out.add(path, &why),
            Some(Ok((path, File::Link(target)))) => {
                chosen.links.insert(path, (Mode::Link, target));
            }
            Some(Ok((path, File::Regular(mode, size)))) => {
                chosen.regular.insert(path, (mode, size));
            }
        }
    }
    chosen.leave_out_excess(&tree);
    let (count, bytes) = chosen.size();
    let too_large = |what| Ok(Err(Unpatched::TooLarge(what)));
    if count > MOST_FILES {
        return too_large(format!("the workspace has {count} files that could be in a patch, more than {MOST_FILES}"));
    }
    if bytes > MOST_BYTES {
        return too_large(format!("the files of the workspace have {bytes} bytes, more than {MOST_BYTES}"));
    }
    Ok(Ok(chosen))
}

impl Chosen {
    /// Files, and bytes of the regular ones.
    fn size(&self) -> (usize, u64) {
        let bytes = self.regular.values().fold(0u64, |sum, (_, size)| sum.saturating_add(*size));
        (self.regular.len() + self.links.len(), bytes)
    }

    /// Leaves out what is new where all of it is more than is read: whole new folders and files, the largest first.
    fn leave_out_excess(&mut self, tree: &Tree) {
        let (mut files, mut bytes) = self.size();
        if files <= MOST_FILES && bytes <= MOST_BYTES {
            return;
        }
        let folders: BTreeSet<&str> = tree.keys().flat_map(|p| p.match_indices('/').map(|(at, _)| &p[..at])).collect();
        let mut parts: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        let sizes = self.regular.iter().map(|(path, (_, size))| (path, *size));
        for (path, size) in sizes.chain(self.links.keys().map(|path| (path, 0))).filter(|(p, _)| !tree.contains_key(*p))
        {
            let part = parts.entry(new_part(path, &folders).to_owned()).or_default();
            *part = (part.0 + 1, part.1.saturating_add(size));
        }
        // The share of both bounds that a part takes.
        let share = |(files, bytes): (usize, u64)| files as f64 / MOST_FILES as f64 + bytes as f64 / MOST_BYTES as f64;
        let mut parts: Vec<_> = parts.into_iter().collect();
        parts.sort_by(|a, b| share(a.1).total_cmp(&share(b.1)));
        let mut gone: BTreeSet<String> = BTreeSet::new();
        while files > MOST_FILES || bytes > MOST_BYTES {
            let Some((part, size)) = parts.pop() else { break };
            (files, bytes) = (files - size.0, bytes - size.1);
            let why = format!("{} files with {} bytes, which is too much beside the rest", size.0, size.1);
            self.left_out.add(part.as_bytes(), &why);
            gone.insert(part);
        }
        let stays = |path: &String| !gone.contains(new_part(path, &folders)) || tree.contains_key(path);
        self.regular.retain(|path, _| stays(path));
        self.links.retain(|path, _| stays(path));
    }
}

/// The uppermost folder above a new file that the starting tree does not have, or the file itself.
fn new_part<'a>(path: &'a str, folders: &BTreeSet<&str>) -> &'a str {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]);
    above.chain([path]).find(|part| !folders.contains(part)).unwrap_or(path)
}

/// Paths of the list that are not in the starting tree and that its rules ignore.
fn ignored(all: &Workspace, store: &Store, start: &TreeId, tree: &Tree) -> Result<BTreeSet<Vec<u8>>, GitError> {
    let known = |path: &[u8]| std::str::from_utf8(path).is_ok_and(|path| tree.contains_key(path));
    let files = all.iter().filter(|(_, found)| **found != Found::Folder).map(|(path, _)| path.as_slice());
    store.ignored(start, files.filter(|path| path.len() < MOST_PATH && !known(path)))
}

/// A file that can be in a patch.
enum File {
    Regular(Mode, u64),
    Link(Vec<u8>),
}

/// The file at a path, or why it cannot be in a patch; none for a folder.
fn file_of(all: &Workspace, path: &[u8], found: &Found) -> Option<Result<(String, File), String>> {
    let file = match found {
        Found::Folder => return None,
        Found::Unusable(why) => Err((*why).to_owned()),
        Found::File { bytes, .. } if *bytes > MOST_FILE => Err(format!("has {bytes} bytes, more than {MOST_FILE}")),
        Found::File { mode, bytes } if mode & 0o100 != 0 => Ok(File::Regular(Mode::Executable, *bytes)),
        Found::File { bytes, .. } => Ok(File::Regular(Mode::File, *bytes)),
        Found::Link(target) => match listing::refusal_of_link(all, path, target) {
            Some(why) => Err(why.to_owned()),
            None => Ok(File::Link(target.clone())),
        },
    };
    let named = match refusal_of_path(path, matches!(found, Found::Link(_))) {
        Some(why) => Err(why),
        None => String::from_utf8(path.to_vec()).map_err(|_| "is not UTF-8".to_owned()),
    };
    Some(named.and_then(|path| Ok((path, file?))))
}

/// The files of the archive: exactly those that were asked for, each of the size that it had.
fn unpacked(kept: &Kept, asked: &BTreeMap<String, (Mode, u64)>, most: u64) -> Result<Files, AgentError> {
    let archive = kept.head.as_slice().chain(kept.tail.as_slice());
    let mut files = Files::new();
    for file in unpack(archive, 0, WORKSPACE, most)? {
        if let (Body::Bytes(bytes), Some((mode, size))) = (file.body, asked.get(&file.path))
            && bytes.len() as u64 == *size
        {
            files.insert(file.path, (*mode, bytes));
        }
    }
    match asked.keys().find(|path| !files.contains_key(*path)) {
        Some(path) => Err(AgentError::Capture { what: format!("{path:?} did not arrive whole") }),
        None => Ok(files),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Entry;

    #[test]
    fn what_is_new_and_too_much_is_left_out_as_a_whole_and_the_rest_stays() {
        let entry = || Entry { mode: Mode::File, blob: String::new() };
        let tree = Tree::from([("src/a.py".to_owned(), entry()), ("data/old".to_owned(), entry())]);
        let mut chosen = Chosen::default();
        let mut add = |path: &str, size: u64| {
            chosen.regular.insert(path.to_owned(), (Mode::File, size));
        };
        add("src/a.py", 10);
        add("data/old", MOST_BYTES / 2);
        add("src/new.py", 20);
        for i in 0..10 {
            add(&format!("dumps/{i}/core"), MOST_BYTES / 10);
        }
        add("src/core", MOST_BYTES / 8);
        chosen.leave_out_excess(&tree);
        let kept: Vec<&str> = chosen.regular.keys().map(String::as_str).collect();
        assert_eq!(kept, ["data/old", "src/a.py", "src/core", "src/new.py"]);
        let named = chosen.left_out.since(&BTreeSet::new());
        assert!(named.len() == 1 && named[0].starts_with("dumps: 10 files with "), "{named:?}");

        let mut many = Chosen::default();
        for i in 0..=MOST_FILES {
            many.regular.insert(format!("src/{i}"), (Mode::File, 0));
        }
        many.regular.insert("src/a.py".to_owned(), (Mode::File, 1));
        many.leave_out_excess(&tree);
        assert_eq!(many.size(), (MOST_FILES, 1));
    }
}
