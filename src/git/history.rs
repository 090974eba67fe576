use super::program::{git, must};
use super::{GitError, Store};
use std::collections::BTreeMap;
use std::path::Path;

/// What a commit says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name, 40 hex digits.
    pub id: String,
    /// The commits that it follows.
    pub parents: Vec<String>,
    /// The day on which it was committed, `YYYY-MM-DD`, in UTC.
    pub day: String,
    /// Its message, replaced where it is no text.
    pub message: String,
}

impl Store {
    /// The commit of a name, which may be shortened.
    pub fn commit(&self, name: &str) -> Result<Commit, GitError> {
        let out = self.run(None, &["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")], b"")?;
        let id = String::from_utf8_lossy(&out).trim().to_owned();
        let format = "--format=%P%x00%cd%x00%B";
        let out =
            self.run(None, &["log", "-1", "--no-show-signature", "--date=format-local:%Y-%m-%d", format, &id], b"")?;
        let text = String::from_utf8_lossy(&out).into_owned();
        let mut parts = text.splitn(3, '\0');
        let (Some(parents), Some(day), Some(message)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(GitError::Answer { verb: "log".into(), what: "a commit has three parts".into() });
        };
        Ok(Commit {
            id,
            parents: parents.split_whitespace().map(str::to_owned).collect(),
            day: day.to_owned(),
            message: message.trim_end().to_owned(),
        })
    }

    /// Whether one commit is another or comes before it.
    pub fn is_before(&self, earlier: &str, later: &str) -> Result<bool, GitError> {
        let args = ["merge-base", "--is-ancestor", "--end-of-options", earlier, later];
        Ok(git(self.dir.path(), &self.alternates, None, &args, b"")?.ok)
    }
}

/// The commits of a mirror's tags, by tag.
pub fn tags(mirror: &Path) -> Result<BTreeMap<String, String>, GitError> {
    let format = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)";
    let mirror = std::path::absolute(mirror).map_err(|cause| GitError::Io { path: mirror.to_owned(), cause })?;
    let out = must(&mirror, &[], None, &["for-each-ref", format, "refs/tags"], b"")?;
    let text = String::from_utf8_lossy(&out);
    let pair = |line: &str| {
        let mut parts = line.split('\0');
        let (name, object, peeled) = (parts.next()?, parts.next()?, parts.next().unwrap_or(""));
        Some((name.to_owned(), if peeled.is_empty() { object } else { peeled }.to_owned()))
    };
    Ok(text.lines().filter_map(pair).collect())
}

/// The commits of a mirror's main line, newest first: its HEAD, and of each commit the first parent.
pub fn main_line(mirror: &Path) -> Result<Vec<Commit>, GitError> {
    let mirror = std::path::absolute(mirror).map_err(|cause| GitError::Io { path: mirror.to_owned(), cause })?;
    if !mirror.join("objects").is_dir() {
        return Err(GitError::NoMirror(mirror));
    }
    has_head(&mirror)?;
    listed(&must(&mirror, &[], None, &[&["log", "--first-parent"], &FIELDS[..], &["HEAD", "--"]].concat(), b"")?)
}

/// Branches that are named where a mirror's HEAD names none of them.
const MOST_BRANCHES: usize = 5;

/// Says what is wrong with a mirror whose HEAD leads to no commit.
fn has_head(mirror: &Path) -> Result<(), GitError> {
    let head = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"];
    if git(mirror, &[], None, &head, b"")?.ok {
        return Ok(());
    }
    let refs = git(mirror, &[], None, &["for-each-ref", "--format=%(refname)", "refs/heads"], b"")?;
    if !refs.ok {
        // Not a repository at all: git's own words are about the folder.
        return Err(GitError::NoMirror(mirror.to_owned()));
    }
    let refs = String::from_utf8_lossy(&refs.out).into_owned();
    let named = git(mirror, &[], None, &["symbolic-ref", "--quiet", "HEAD"], b"")?;
    let named = String::from_utf8_lossy(&named.out).trim().to_owned();
    let shown = mirror.display();
    let (what, hint) = match refs.lines().next() {
        None => (
            "it has no commit".to_owned(),
            format!("git -C {shown} fetch, or remove the folder and copy it again with tsbench mirror add"),
        ),
        Some(first) => {
            let usual = ["refs/heads/main", "refs/heads/master"];
            let first = usual.into_iter().find(|u| refs.lines().any(|r| r == *u)).unwrap_or(first);
            let some: Vec<&str> = refs.lines().take(MOST_BRANCHES).collect();
            let head = if named.is_empty() { "a commit".to_owned() } else { named };
            (
                format!("its HEAD names {head}, which is not there; there are: {}", some.join(", ")),
                format!("name the branch that is the main line: git -C {shown} symbolic-ref HEAD {first}"),
            )
        }
    };
    Err(GitError::NoMainLine { mirror: mirror.to_owned(), what, hint })
}

/// How a list of commits is written: four fields a commit, each with a NUL behind it.
const FIELDS: [&str; 4] =
    ["-z", "--no-show-signature", "--date=format-local:%Y-%m-%d", "--format=%H%x00%P%x00%cd%x00%B"];

fn listed(out: &[u8]) -> Result<Vec<Commit>, GitError> {
    let fields: Vec<&[u8]> = out.strip_suffix(b"\0").unwrap_or(out).split(|b| *b == 0).collect();
    if out.is_empty() {
        return Ok(Vec::new());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let commit = |parts: &[&[u8]]| match parts {
        [id, parents, day, message] => Ok(Commit {
            id: text(id),
            parents: text(parents).split_whitespace().map(str::to_owned).collect(),
            day: text(day),
            message: text(message).trim_end().to_owned(),
        }),
        _ => Err(GitError::Answer { verb: "log".into(), what: "a commit has four parts".into() }),
    };
    fields.chunks(4).map(commit).collect()
}

impl Store {
    /// The commits that a merge brought in: those of the later commit that the earlier one does not have, newest first.
    pub fn commits_between(&self, earlier: &str, later: &str) -> Result<Vec<Commit>, GitError> {
        let range = format!("{earlier}..{later}");
        listed(&self.run(None, &[&["log"], &FIELDS[..], &["--end-of-options", &range, "--"]].concat(), b"")?)
    }

    /// The paths whose files differ between two commits or trees; a file that was moved is named twice.
    pub fn changed(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--end-of-options", from, to];
        let out = self.run(None, &args, b"")?;
        let names = out.split(|b| *b == 0).filter(|n| !n.is_empty());
        Ok(names.map(|n| String::from_utf8_lossy(n).into_owned()).collect())
    }
}
