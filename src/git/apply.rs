//! Patches onto trees: strictly as git takes them, else by what is certain of their intent.

use super::marks::remove_strays;
use super::patch_text::{Hunk, Kind, PatchText, Section, Unreadable, cut, kind, read, trimmed};
use super::program::git;
use super::tree::{Tree, unusable};
use super::{GitError, Store, TreeId};
use std::collections::BTreeSet;

/// How a patch went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// There was nothing to apply.
    Empty,
    /// Every line matched.
    Strict(TreeId),
    /// Every line matched but for what says nothing of the intent: counts in headers of hunks, whitespace of context,
    /// what stands around the patch, prefixes of names, lines of context at one end, and files that were passed by.
    Lenient(TreeId),
    /// It does not apply, or it makes a file whose name no sandbox can hold; why, with the line of the patch.
    Refused(String),
}

/// A patch on a tree, and what of it was not tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedBeside {
    /// How the rest went on.
    pub applied: Applied,
    /// Files whose changes count for nothing and could not be made, so that they were passed by.
    pub passed: Vec<String>,
}

/// A patch that is ready for git.
struct Ready {
    text: Vec<u8>,
    /// Folders that git takes from names.
    level: usize,
    /// Whether a hunk without context at an end was found at the one place where it fits.
    placed: bool,
    /// Whether there is one that was not.
    lost: bool,
    passed: Vec<String>,
}

impl Store {
    /// Applies a patch to a tree, whole or not at all: strictly, else leniently where its intent is certain.
    pub fn apply(&self, tree: &TreeId, patch: &[u8]) -> Result<Applied, GitError> {
        Ok(self.apply_beside(tree, patch, &|_| false)?.applied)
    }

    /// As [`Store::apply`]; a file whose change counts for nothing, by `dropped`, cannot fail the patch.
    pub fn apply_beside(
        &self,
        tree: &TreeId,
        patch: &[u8],
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<AppliedBeside, GitError> {
        let whole = |applied| AppliedBeside { applied, passed: Vec::new() };
        if patch.iter().all(u8::is_ascii_whitespace) {
            return Ok(whole(Applied::Empty));
        }
        let files = self.read(tree)?;
        let mut text = read(patch, false);
        let (plain, strays) = match &mut text {
            Ok(text) => {
                let strays = self.without_strays(text, &files, dropped)?;
                (!strays && !text.excess && self.unplaced(text, &files, &|_| false)?.is_none(), strays)
            }
            Err(_) => (true, false),
        };
        let strict = ["-p1"].as_slice();
        let mut said = String::new();
        if plain {
            match self.attempt(tree, patch, strict)? {
                Attempt::Went(after) => return Ok(whole(Applied::Strict(after))),
                Attempt::Unusable(why) => return Ok(whole(Applied::Refused(why))),
                Attempt::Failed(err) => said = err,
            }
        }
        let text = match text {
            Ok(text) if !text.sections.is_empty() => text,
            Ok(_) => return Ok(whole(Applied::Refused(in_our_words(&said)))),
            Err(place) => return self.without_unreadable(tree, patch, &place, dropped),
        };
        let mut made = self.leniently(tree, &text, &files, dropped)?;
        if matches!(made.applied, Applied::Refused(_))
            && text.swallowed
            && let Ok(mut other) = read(patch, true)
        {
            self.without_strays(&mut other, &files, dropped)?;
            made = self.leniently(tree, &other, &files, dropped)?;
        }
        // Lines behind a hunk that fit nowhere are no part of it.
        if matches!(made.applied, Applied::Refused(_))
            && text.excess
            && !strays
            && let Attempt::Went(after) = self.attempt(tree, patch, strict)?
        {
            made = whole(Applied::Strict(after));
        }
        Ok(made)
    }

    /// Applies a patch without a file that cannot be read, if its change counts for nothing.
    fn without_unreadable(
        &self,
        tree: &TreeId,
        patch: &[u8],
        place: &Unreadable,
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<AppliedBeside, GitError> {
        let names = |s: &Section<'_>| s.names().iter().filter_map(|n| n.at_level(1).map(str::to_owned)).collect();
        let found = cut(patch, place.line).map(|(section, rest)| -> (Vec<String>, _) { (names(&section), rest) });
        let refused = Applied::Refused(format!("line {} of the patch: {}", place.line, place.why));
        let refused = AppliedBeside { applied: refused, passed: Vec::new() };
        let Some((names, rest)) = found.filter(|(names, _)| !names.is_empty() && names.iter().all(|p| dropped(p)))
        else {
            return Ok(refused);
        };
        let mut made = self.apply_beside(tree, &rest, dropped)?;
        made.applied = match made.applied {
            // Its lines are counted without those that were cut.
            Applied::Refused(_) => return Ok(refused),
            Applied::Empty => Applied::Lenient(tree.clone()),
            Applied::Strict(after) | Applied::Lenient(after) => Applied::Lenient(after),
        };
        made.passed.extend(names);
        made.passed.sort();
        made.passed.dedup();
        Ok(made)
    }

    /// Applies a patch as it is meant, as far as that is certain.
    fn leniently(
        &self,
        tree: &TreeId,
        text: &PatchText<'_>,
        files: &Tree,
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<AppliedBeside, GitError> {
        let ready = self.ready(tree, text, files, dropped)?;
        let level = format!("-p{}", ready.level);
        let mut args = vec![level.as_str(), "--ignore-whitespace"];
        // It lets hunks without context stand anywhere, so that each of them has to have its place.
        if ready.placed && !ready.lost {
            args.push("--unidiff-zero");
        }
        let made = match self.unplaced(text, files, dropped)? {
            _ if ready.text.is_empty() => Attempt::Went(tree.clone()),
            Some(why) => return Ok(AppliedBeside { applied: Applied::Refused(why), passed: Vec::new() }),
            None => self.attempt(tree, &ready.text, &args)?,
        };
        Ok(match made {
            Attempt::Went(after) => AppliedBeside { applied: Applied::Lenient(after), passed: ready.passed },
            Attempt::Unusable(why) => AppliedBeside { applied: Applied::Refused(why), passed: Vec::new() },
            Attempt::Failed(said) => {
                let why = explained(&said, text, ready.level);
                AppliedBeside { applied: Applied::Refused(why), passed: Vec::new() }
            }
        })
    }

    /// Takes away the marks for a file's end that stand elsewhere; tells whether there were any.
    fn without_strays(
        &self,
        text: &mut PatchText<'_>,
        files: &Tree,
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<bool, GitError> {
        let level = level(text, files, dropped);
        let mut found = false;
        for section in &mut text.sections {
            if section.hunks.iter().any(|h| h.body.iter().any(|l| kind(l) == Kind::Mark)) {
                let entry = section.old_path(level).and_then(|p| files.get(&p));
                let file = entry.map(|e| self.bytes(&e.blob)).transpose()?;
                found |= remove_strays(section, file.as_deref());
            }
        }
        Ok(found)
    }

    fn attempt(&self, tree: &TreeId, patch: &[u8], more: &[&str]) -> Result<Attempt, GitError> {
        let index = self.index();
        self.run(Some(&index), &["read-tree", &tree.0], b"")?;
        let args = [&["apply", "--cached", "--whitespace=nowarn"], more].concat();
        let answer = git(self.dir.path(), &self.alternates, Some(&index), &args, patch)?;
        let made = if !answer.ok {
            Attempt::Failed(answer.err)
        } else {
            // Read from the index: git itself gives up on trees that are too deep.
            let names = self.run(Some(&index), &["ls-files", "-z"], b"")?;
            match names.split(|b| *b == 0).find_map(unusable) {
                Some(why) => Attempt::Unusable(why),
                None => Attempt::Went(self.tree_in(&index)?),
            }
        };
        let _ = std::fs::remove_file(&index);
        Ok(made)
    }

    /// The patch as it is meant: with right counts, without what can be passed by.
    fn ready(
        &self,
        tree: &TreeId,
        text: &PatchText<'_>,
        files: &Tree,
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<Ready, GitError> {
        let level = level(text, files, dropped);
        let paths = |s: &Section<'_>| -> Vec<String> {
            s.names().iter().filter_map(|n| n.at_level(level).map(str::to_owned)).collect()
        };
        let without: Vec<String> = text.sections.iter().filter(|s| s.without_bytes.is_some()).flat_map(paths).collect();
        let ignored = if without.is_empty() {
            BTreeSet::new()
        } else {
            self.ignored(tree, without.iter().map(String::as_bytes))?
        };
        let mut ready = Ready { text: Vec::new(), level, placed: false, lost: false, passed: Vec::new() };
        for section in &text.sections {
            let names = paths(section);
            let beside = |p: &String| dropped(p) || section.without_bytes.is_some() && ignored.contains(p.as_bytes());
            if !names.is_empty() && names.iter().all(beside) {
                ready.passed.extend(names);
                continue;
            }
            section.head.iter().for_each(|l| push(&mut ready.text, l));
            if let Some(line) = section.without_bytes.and(section.head.first()) {
                // Git names the file that it misses the bytes of.
                let name = String::from_utf8_lossy(trimmed(line)).replacen("diff --git ", "", 1);
                push(&mut ready.text, format!("Binary files {} differ\n", name.replacen(' ', " and ", 1)).as_bytes());
            }
            let lines = match section.old_path(level).and_then(|p| files.get(&p)) {
                Some(entry) if section.hunks.iter().any(open_ended) => Some(self.bytes(&entry.blob)?),
                _ => None,
            };
            let mut delta = 0_i64;
            for hunk in &section.hunks {
                let place = lines.as_ref().filter(|_| open_ended(hunk)).and_then(|bytes| place(hunk, bytes));
                ready.placed |= place.is_some();
                ready.lost |= place.is_none() && lines.is_some() && open_ended(hunk);
                delta += emit(&mut ready.text, hunk, place.unwrap_or(hunk.old), delta);
            }
        }
        ready.passed.sort();
        ready.passed.dedup();
        Ok(ready)
    }

    /// Why a hunk cannot be placed, if there is one that adds lines and shows none of those around it: git would put it
    /// at the end of the file.
    fn unplaced(
        &self,
        text: &PatchText<'_>,
        files: &Tree,
        dropped: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>, GitError> {
        for section in &text.sections {
            let old = section.old_path(1).filter(|p| !dropped(p));
            let Some(entry) = old.and_then(|p| files.get(&p)) else { continue };
            for hunk in
                section.hunks.iter().filter(|h| h.body.iter().all(|l| matches!(kind(l), Kind::Added | Kind::Mark)))
            {
                let count = self.bytes(&entry.blob)?.split_inclusive(|b| *b == b'\n').count();
                if hunk.old != count && !hunk.body.is_empty() {
                    let why = "the hunk adds lines and shows none of the file around them, so that nothing tells where they belong";
                    return Ok(Some(format!("line {} of the patch: {why}", hunk.line)));
                }
            }
        }
        Ok(None)
    }
}

enum Attempt {
    Went(TreeId),
    /// It makes a file whose name no sandbox can hold.
    Unusable(String),
    /// What git said.
    Failed(String),
}

/// How many folders git is to take from names: one, or, if the files are not there under such names, the one other
/// number with which they all are.
fn level(text: &PatchText<'_>, files: &Tree, dropped: &dyn Fn(&str) -> bool) -> usize {
    let fits = |level: usize| {
        let mut made = BTreeSet::new();
        text.sections.iter().all(|section| {
            let names = section.names();
            let there = names
                .iter()
                .filter(|n| n.before)
                .all(|n| n.at_level(level).is_some_and(|p| files.contains_key(p) || made.contains(p) || dropped(p)));
            made.extend(names.iter().filter_map(|n| n.at_level(level).map(str::to_owned)));
            there
        })
    };
    let others: Vec<usize> = if fits(1) { Vec::new() } else { [0, 2, 3].into_iter().filter(|l| fits(*l)).collect() };
    match others.as_slice() {
        [one] => *one,
        _ => 1,
    }
}

/// Whether a hunk shows no context at one of its ends.
fn open_ended(hunk: &Hunk<'_>) -> bool {
    let mut lines = hunk.body.iter().filter(|l| kind(l) != Kind::Mark);
    let is_change = |line: Option<&&[u8]>| line.is_some_and(|l| kind(l) != Kind::Context);
    is_change(lines.next()) || is_change(lines.next_back())
}

/// The line of a file at which the old lines of a hunk stand: where its header says, else the one place where they do.
pub(super) fn place(hunk: &Hunk<'_>, file: &[u8]) -> Option<usize> {
    let old = hunk.body.iter().filter(|l| matches!(kind(l), Kind::Context | Kind::Removed));
    let old: Vec<&[u8]> = old.map(|l| trimmed(l.get(1..).unwrap_or(b""))).collect();
    let lines: Vec<&[u8]> = file.split_inclusive(|b| *b == b'\n').map(trimmed).collect();
    if old.is_empty() {
        return None;
    }
    let mut found = lines.windows(old.len()).enumerate().filter(|(_, w)| *w == old.as_slice()).map(|(at, _)| at + 1);
    let places: Vec<usize> = found.by_ref().collect();
    match places.as_slice() {
        [one] => Some(*one),
        _ => places.contains(&hunk.old).then_some(hunk.old),
    }
}

/// Writes a hunk with the right counts; gives how many lines it adds.
fn emit(text: &mut Vec<u8>, hunk: &Hunk<'_>, old: usize, delta: i64) -> i64 {
    let count = |which: &[Kind]| hunk.body.iter().filter(|l| which.contains(&kind(l))).count();
    let (before, after) = (count(&[Kind::Context, Kind::Removed]), count(&[Kind::Context, Kind::Added]));
    // A side without lines is numbered by the line before it.
    let shift = i64::from(before == 0) - i64::from(after == 0);
    let new = i64::try_from(old).unwrap_or(i64::MAX).saturating_add(delta).saturating_add(shift).max(0);
    text.extend_from_slice(format!("@@ -{old},{before} +{new},{after} @@").as_bytes());
    push(text, hunk.title);
    hunk.body.iter().for_each(|l| push(text, l));
    i64::try_from(after).unwrap_or(0) - i64::try_from(before).unwrap_or(0)
}

/// Writes a line, with an end if it has none.
fn push(text: &mut Vec<u8>, line: &[u8]) {
    text.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        text.push(b'\n');
    }
}

/// What git says of a patch, with the line of the patch that it is about.
fn explained(said: &str, text: &PatchText<'_>, level: usize) -> String {
    let about = |path: &str| {
        text.sections
            .iter()
            .find(|s| s.names().iter().any(|n| n.at_level(level) == Some(path)))
            .map(|s| (s, path.to_owned()))
    };
    for line in said.lines().filter_map(|l| l.strip_prefix("error: ")) {
        if let Some((path, number)) = line.strip_prefix("patch failed: ").and_then(|r| r.rsplit_once(':'))
            && let Some((section, path)) = about(path)
        {
            let hunk = section.hunks.iter().find(|h| number.parse() == Ok(h.old)).or(section.hunks.first());
            let at = hunk.map_or(section.line, |h| h.line);
            return format!("line {at} of the patch: the lines that the hunk shows of {path} are not in it");
        }
        let ends = [
            (": does not exist in index", "is not in the tree"),
            (": No such file or directory", "is not in the tree"),
            (": already exists in index", "is in the tree already, and the patch makes it anew"),
        ];
        let found = ends.iter().find_map(|(end, why)| Some((about(line.strip_suffix(end)?)?, why)));
        if let Some(((section, path), why)) = found {
            return format!("line {} of the patch: {path} {why}", section.line);
        }
        if let Some((section, path)) = line
            .strip_prefix("cannot apply binary patch to '")
            .and_then(|r| r.split_once('\''))
            .and_then(|(path, _)| about(path))
        {
            let at = section.without_bytes.unwrap_or(section.line);
            return format!("line {at} of the patch: it says that {path} differs and does not have its bytes");
        }
    }
    in_our_words(said)
}

/// What git says of a patch, without advice for who calls git.
fn in_our_words(said: &str) -> String {
    match said.is_empty() || said.contains("No valid patches in input") {
        true => "it is no patch: it has no header of a file (--- and +++) with a hunk (@@)".to_owned(),
        false => said.to_owned(),
    }
}
