use super::client::Around;
use super::look::Looker;
use super::wanted::{Fit, Refusal};
use super::{Ledger, Mined, MiningError, Wanted};
use crate::git::{Commit, main_line, mirror_folder};
use crate::schema::{Candidate, Rejection, Stage, id_of_commit};
use crate::tasks::{Named, closed, named, statement_of_commit};
use std::path::Path;

/// Why a commit is left out unless such are asked for.
const NAMELESS: &str = "its message names no pull request and no issue";

/// Mines the main line of a bare mirror: commits whose message names a pull request or an issue that they close, and
/// the others too where they are asked for. A commit is compared with its first parent, so that a merge undoes nothing that the main line had gained.
pub fn mine_mirror(
    mirror: &Path,
    repo: &str,
    wanted: &Wanted,
    ledger: &mut Ledger,
    around: Around<'_>,
    step: &dyn Fn(u64, u64),
) -> Result<Mined, MiningError> {
    let prefix = prefix(repo)?;
    let commits = main_line(mirror)?;
    let looker = Looker::new(mirror)?;
    let mut mined = Mined::default();
    if wanted.nameless {
        ledger.reconsider(NAMELESS);
    }
    for commit in &commits {
        if !(around.pause)(std::time::Duration::ZERO, "") {
            return Err(MiningError::Interrupted);
        }
        mined.seen += 1;
        step(mined.seen, commits.len() as u64);
        if ledger.knows(&commit.id) {
            mined.known += 1;
            continue;
        }
        if wanted.is_too_old(&commit.day) {
            mined.left_out += 1;
            continue;
        }
        let mut says = named(&commit.message);
        match judge(commit, &prefix, wanted, ledger, &looker, &mut says)? {
            Fit::LeftOut => mined.left_out += 1,
            Fit::Refused(Refusal { reason, evidence }) => {
                let id = id(&prefix, &says, commit);
                let rejection = Rejection::new(repo, &id, &commit.id, Stage::Mining, reason, evidence);
                ledger.reject(Rejection { at: time(around), ..rejection })?;
            }
            Fit::Fits => {
                let mut candidate = Candidate {
                    id: Some(id(&prefix, &says, commit)),
                    repo: repo.to_owned(),
                    fix: commit.id.clone(),
                    base: commit.parents.first().cloned(),
                    language: wanted.language.clone(),
                    pull_request: says.pull_request,
                    issue: says.issues.first().copied(),
                    ..Candidate::default()
                };
                looker.complete(&mut candidate, &statement_of_commit(&commit.message).text, None);
                ledger.accept(candidate, None)?;
            }
        }
    }
    Ok(mined)
}

/// The ids of a repository's tasks begin with it.
pub(super) fn prefix(repo: &str) -> Result<String, MiningError> {
    let folder = mirror_folder(repo).ok_or_else(|| {
        MiningError::input(
            format!("the repository {repo:?}"),
            "write it as owner/name, in letters, digits, dots and dashes",
        )
    })?;
    Ok(folder.trim_end_matches(".git").to_owned())
}

/// The time, RFC 3339.
pub(super) fn time(around: Around<'_>) -> String {
    jiff::Timestamp::from_second((around.now)()).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

fn id(prefix: &str, says: &Named, commit: &Commit) -> String {
    match says.pull_request {
        Some(number) => format!("{prefix}-{number}"),
        None => format!("{prefix}-{}", id_of_commit(&commit.id)),
    }
}

fn judge(
    commit: &Commit,
    prefix: &str,
    wanted: &Wanted,
    ledger: &Ledger,
    looker: &Looker,
    says: &mut Named,
) -> Result<Fit, MiningError> {
    let refused = |reason, evidence| Ok(Fit::Refused(Refusal::new(reason, evidence)));
    let subject = || vec![commit.message.lines().next().unwrap_or("").to_owned()];
    let Some(before) = commit.parents.first() else {
        return refused("nothing stood before it", subject());
    };
    // What a merge brought in may name the issue that its own message does not.
    for merged in commit.parents.iter().skip(1) {
        for inner in looker.store().commits_between(before, merged)? {
            let new: Vec<u64> = closed(&inner.message).into_iter().filter(|n| !says.issues.contains(n)).collect();
            says.issues.extend(new);
        }
    }
    if says.pull_request.is_none() && says.issues.is_empty() && !wanted.nameless {
        return refused(NAMELESS, subject());
    }
    if says.reverts {
        return refused("it takes another change back", subject());
    }
    let id = id(prefix, says, commit);
    if ledger.has_candidate(&id) {
        return refused("a later commit of the same pull request is a candidate", vec![id]);
    }
    Ok(wanted.fit(&looker.store().changed(before, &commit.id)?))
}
