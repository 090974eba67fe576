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
