use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Something of the answer, or of the project itself, that stands in an image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Leak {
    /// A file holds lines that the change adds.
    Lines {
        /// The file.
        path: String,
        /// `fix` or `tests`.
        of: String,
        /// The lines, some of them.
        lines: Vec<String>,
        /// How many of the lines looked for it holds.
        count: u64,
    },
    /// The project itself is installed from a release.
    Release {
        /// The package.
        package: String,
        /// Its version, as far as it is known.
        version: String,
        /// What shows it.
        path: String,
        /// Why it may hold the answer, or why not.
        why: String,
    },
    /// Objects of a git repository.
    GitObjects {
        /// One of them, or the folder that holds them.
        path: String,
    },
}

/// A line found in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The file.
    pub path: String,
    /// The line.
    pub line: String,
}

/// Characters below which a line says nothing.
const SHORT: usize = 24;
/// Letters and digits that it must have.
const LETTERS: usize = 12;
/// Lines that are looked for at most.
const MOST: usize = 2000;
/// Lines of a file that are shown.
const SHOWN: usize = 5;
/// Beginnings of lines that stand in many projects.
const COMMON: [&str; 9] =
    ["import ", "from ", "#include", "use ", "package ", "export * ", "export {", "@Override", "} else if"];

/// Lines of a change by which it can be recognised: long enough, and not in the tree that it was made on.
pub fn distinctive(added: &[String], known: &BTreeSet<String>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for line in added {
        let line = line.trim();
        let telling = line.chars().count() >= SHORT && line.chars().filter(|c| c.is_alphanumeric()).count() >= LETTERS;
        if telling && !COMMON.iter().any(|c| line.starts_with(c)) && !known.contains(line) && !line.contains('\0') {
            found.insert(line.to_owned());
        }
    }
    found.into_iter().take(MOST).collect()
}

/// Lines that a file must hold to be taken for a copy: a single one happens to stand in other projects too, unless there
/// are so few that each tells.
const fn enough(lines: usize) -> usize {
    match lines {
        0..=2 => 1,
        3..=4 => 2,
        _ => 3,
    }
}

/// What hits are answers, and what hits are chance.
pub fn judge_hits(of: &str, lines: &[String], hits: &BTreeSet<Hit>) -> (Vec<Leak>, Vec<Leak>) {
    let wanted: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for hit in hits.iter().filter(|h| wanted.contains(h.line.as_str())) {
        files.entry(&hit.path).or_default().insert(&hit.line);
    }
    let (mut findings, mut harmless) = (Vec::new(), Vec::new());
    for (path, held) in files {
        let leak = Leak::Lines {
            path: path.to_owned(),
            of: of.to_owned(),
            lines: held.iter().take(SHOWN).map(|l| (*l).to_owned()).collect(),
            count: held.len() as u64,
        };
        if held.len() >= enough(wanted.len()) { findings.push(leak) } else { harmless.push(leak) }
    }
    (findings, harmless)
}

/// Folders that hold git objects among the files of an image, each once. `own` are files of the starting tree.
pub(super) fn git_objects(files: &[String], own: &dyn Fn(&str) -> bool) -> Vec<Leak> {
    let mut found = BTreeSet::new();
    for path in files.iter().filter(|p| !own(p)) {
        if let Some((folder, name)) = path.rsplit_once('/')
            && is_object(folder, name)
        {
            let at = folder.rfind("/objects").unwrap_or(folder.len());
            found.insert(folder[..at].to_owned() + "/objects");
        }
    }
    found.into_iter().map(|path| Leak::GitObjects { path }).collect()
}

fn is_object(folder: &str, name: &str) -> bool {
    let hex = |text: &str, most: &[usize]| most.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    let parent = folder.rsplit('/').next().unwrap_or("");
    let packed = folder.ends_with("/objects/pack") && [".pack", ".idx"].iter().any(|e| name.ends_with(e));
    let loose = hex(parent, &[2]) && folder[..folder.len() - 3].ends_with("/objects") && hex(name, &[38, 62]);
    packed || loose
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(list: &[&str]) -> Vec<String> {
        list.iter().map(|l| (*l).to_owned()).collect()
    }

    fn hits(list: &[(&str, &str)]) -> BTreeSet<Hit> {
        list.iter().map(|(p, l)| Hit { path: (*p).into(), line: (*l).into() }).collect()
    }

    const A: &str = "return compute_threshold(alpha, beta)";
    const B: &str = "self.retries = tuple(flattened_retries)";
    const C: &str = "raise TooManyAttempts(state.attempt_number)";

    #[test]
    fn short_common_and_known_lines_say_nothing() {
        let added =
            lines(&[A, "  }", "return None", "import os.path as something_long", B, "----------------------------"]);
        let known = BTreeSet::from([B.to_owned()]);
        assert_eq!(distinctive(&added, &known), [A]);
    }

    #[test]
    fn a_copy_of_the_fix_is_found_and_a_line_that_happens_to_stand_elsewhere_is_not_one() {
        let wanted = lines(&[A, B, C]);
        let seen =
            hits(&[("/lib/new/x.py", A), ("/lib/new/x.py", C), ("/lib/other.py", B), ("/lib/third.py", "no line")]);
        let (findings, harmless) = judge_hits("fix", &wanted, &seen);
        assert!(matches!(&findings[..], [Leak::Lines { path, count: 2, .. }] if path == "/lib/new/x.py"));
        assert!(matches!(&harmless[..], [Leak::Lines { path, count: 1, .. }] if path == "/lib/other.py"));
    }

    #[test]
    fn the_only_line_of_a_fix_is_an_answer_wherever_it_stands() {
        let (findings, harmless) = judge_hits("fix", &lines(&[A]), &hits(&[("/x", A)]));
        assert_eq!((findings.len(), harmless.len()), (1, 0));
    }

    #[test]
    fn packs_and_loose_objects_are_found_and_other_files_are_not() {
        let loose = format!("/a/.git/objects/ab/{}", "0".repeat(38));
        let paths = [
            loose.as_str(),
            "/b/mirror/objects/pack/pack-1.pack",
            "/b/mirror/objects/pack/pack-1.idx",
            "/c/objects/pack/readme.txt",
            "/d/ab/0123",
            "/e/objects/ab/short",
            "/workspace/fixture/objects/pack/p.pack",
        ];
        let own = |p: &str| p.starts_with("/workspace/");
        let found = git_objects(&lines(&paths), &own);
        let at = |p: &str| Leak::GitObjects { path: p.to_owned() };
        assert_eq!(found, [at("/a/.git/objects"), at("/b/mirror/objects")]);
    }
}
