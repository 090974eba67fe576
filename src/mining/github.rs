use super::answer::Trouble;
use super::client::Client;
use super::look::Looker;
use super::mirror::prefix;
use super::records::{ChangedFile, Issue, ListData, MergeCommit, MoreFiles, MoreIssues, OneData, Page, PullRequest};
use super::wanted::{Fit, Refusal};
use super::{Ledger, Mined, MiningError, Wanted};
use crate::git::is_commit;
use crate::schema::{Candidate, Rejection, Stage};
use crate::tasks::statement_of_issues;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;

const LIST: &str = include_str!("pull_requests.graphql");
const FILES: &str = include_str!("files.graphql");
const ISSUES: &str = include_str!("issues.graphql");
pub(super) const LANDING: &str = include_str!("landing.graphql");

/// Pull requests of a page, and the fewest that are asked for where GitHub cannot answer for so many.
const SIZES: (u64, u64) = (50, 6);
/// Pages of files or issues of one pull request; GitHub lists 3,000 files at most.
const MOST_PAGES: usize = 60;

/// What mining one repository needs.
pub(super) struct Miner<'a, 'b> {
    pub client: &'a mut Client<'b>,
    pub owner: &'a str,
    pub name: &'a str,
    pub wanted: &'a Wanted,
}

/// What became of a pull request.
enum Decided {
    Candidate(Box<Candidate>, String, Vec<String>),
    Refused(Refusal),
    LeftOut,
    /// GitHub did not tell enough; the next call asks again.
    Untold(String),
}

/// Mines the merged pull requests of a repository that close an issue and change a test, newest update first.
///
/// A mirror, where there is one, shows the package under test and what is wrong with statements.
pub fn mine_github(
    client: &mut Client<'_>,
    repo: &str,
    wanted: &Wanted,
    mirror: Option<&Path>,
    ledger: &mut Ledger,
    step: &dyn Fn(u64),
    warn: &dyn Fn(String),
) -> Result<Mined, MiningError> {
    let prefix = prefix(repo)?;
    let (owner, name) = repo.split_once('/').unwrap_or((repo, ""));
    let looker = mirror.map(Looker::new).transpose()?;
    let asked = wanted.word();
    let mut cursor = ledger.cursor(repo, &asked);
    let mut mined = Mined::default();
    let mut miner = Miner { client, owner, name, wanted };
    loop {
        miner.client.go_on()?;
        let (page, troubles) = miner.page(cursor.as_deref())?;
        let next = page.page_info.next();
        let mut old = false;
        for (index, node) in page.nodes.unwrap_or_default().into_iter().enumerate() {
            mined.seen += 1;
            step(mined.seen);
            let why = why(&troubles, index);
            let Some(pull) = node else {
                warn(format!("GitHub did not tell of a pull request, the next call asks again: {why}"));
                continue;
            };
            old = pull.updated_at.as_deref().is_some_and(|t| wanted.is_too_old(t));
            let id = format!("{prefix}-{}", pull.number);
            if ledger.knows(&id) {
                mined.known += 1;
                continue;
            }
            let fix = pull.merge_commit.as_ref().map(|c| c.oid.clone()).filter(|c| is_commit(c)).unwrap_or_default();
            match miner.decide(pull, &id, repo, &why)? {
                Decided::LeftOut => mined.left_out += 1,
                Decided::Untold(why) => warn(format!("{id} is undecided, the next call asks again: {why}")),
                Decided::Refused(Refusal { reason, evidence }) => {
                    let rejection = Rejection::new(repo, &id, &fix, Stage::Mining, reason, evidence);
                    ledger.reject(Rejection { at: miner.client.time(), ..rejection })?;
                }
                Decided::Candidate(candidate, statement, files) => {
                    ledger.accept(completed(*candidate, looker.as_ref(), &statement, &files), Some(&statement))?;
                }
            }
        }
        // Nothing behind it was updated later, so nothing was merged later either.
        cursor = next.filter(|_| !old);
        ledger.keep_cursor(repo, &asked, cursor.clone())?;
        if cursor.is_none() {
            return Ok(mined);
        }
    }
}

/// A candidate with what the mirror says of it, where there is one.
fn completed(mut candidate: Candidate, looker: Option<&Looker>, statement: &str, files: &[String]) -> Candidate {
    if let Some(looker) = looker {
        looker.complete(&mut candidate, statement, Some(files));
    }
    candidate
}

/// What was said of one node of a page.
fn why(troubles: &[Trouble], index: usize) -> String {
    let index = index.to_string();
    let of = troubles.iter().find(|t| t.path.contains(&index));
    of.or(troubles.first()).map_or_else(|| "it gave no reason".to_owned(), |t| t.message.clone())
}

impl Miner<'_, '_> {
    /// One page, smaller where GitHub cannot answer for a whole one.
    fn page(&mut self, after: Option<&str>) -> Result<(Page<PullRequest>, Vec<Trouble>), MiningError> {
        let mut size = SIZES.0;
        loop {
            let variables = json!({"owner": self.owner, "name": self.name, "size": size, "after": after});
            let answer = match size == SIZES.0 {
                true => self.client.ask::<ListData>(LIST, &variables),
                false => self.client.ask_again::<ListData>(LIST, &variables),
            };
            match answer {
                Ok(answer) => return Ok((answer.data.repository.pull_requests, answer.troubles)),
                Err(MiningError::Busy { large: true, .. }) if size / 2 >= SIZES.1 => size /= 2,
                Err(e) => return Err(e),
            }
        }
    }

    /// A question about one pull request; nothing where GitHub does not know it.
    pub(super) fn one<T: DeserializeOwned>(
        &mut self,
        query: &str,
        variables: &Value,
    ) -> Result<Option<T>, MiningError> {
        let mut all = json!({"owner": self.owner, "name": self.name});
        if let (Some(all), Some(more)) = (all.as_object_mut(), variables.as_object()) {
            all.extend(more.clone());
        }
        Ok(self.client.ask::<OneData<T>>(query, &all)?.data.repository.pull_request)
    }

    fn decide(&mut self, pull: PullRequest, id: &str, repo: &str, told: &str) -> Result<Decided, MiningError> {
        let refused = |reason| Ok(Decided::Refused(Refusal::new(reason, Vec::new())));
        if pull.merged_at.as_deref().is_some_and(|t| self.wanted.is_too_old(t)) {
            return Ok(Decided::LeftOut);
        }
        let Some(commit) = pull.merge_commit.clone().filter(|c| is_commit(&c.oid)) else {
            return refused("GitHub names no commit that merged it");
        };
        let (Some(issues), Some(files)) = (pull.closing_issues_references.clone(), pull.files.clone()) else {
            return Ok(Decided::Untold(told.to_owned()));
        };
        if issues.nodes.as_ref().is_none_or(Vec::is_empty) {
            return refused("it closes no issue");
        }
        let total = files.total_count;
        let files = self.all_files(pull.number, files)?;
        match self.wanted.fit(&files) {
            Fit::Fits => {}
            Fit::LeftOut => return Ok(Decided::LeftOut),
            Fit::Refused(mut refusal) => {
                if let Some(total) = total.filter(|total| *total > files.len() as u64) {
                    refusal.evidence.insert(0, format!("GitHub lists {} of its {total} files", files.len()));
                }
                return Ok(Decided::Refused(refusal));
            }
        }
        let base = match self.base(&pull, &commit)? {
            Ok(base) => base,
            Err(reason) => return refused(reason),
        };
        let issues = self.all_issues(pull.number, issues)?;
        let told: Vec<(String, String)> =
            issues.iter().map(|i| (i.title.clone(), i.body.clone().unwrap_or_default())).collect();
        let candidate = Candidate {
            id: Some(id.to_owned()),
            repo: repo.to_owned(),
            fix: commit.oid.clone(),
            base: Some(base),
            language: self.wanted.language.clone(),
            pull_request: Some(pull.number),
            issue: issues.first().map(|i| i.number),
            ..Candidate::default()
        };
        Ok(Decided::Candidate(Box::new(candidate), statement_of_issues(&told).text, files))
    }

    fn all_files(&mut self, number: u64, first: Page<ChangedFile>) -> Result<Vec<String>, MiningError> {
        let mut next = first.page_info.next();
        let mut files: Vec<String> = first.into_nodes().map(|f| f.path).collect();
        for _ in 0..MOST_PAGES {
            let Some(after) = next.take() else { break };
            let more: Option<MoreFiles> = self.one(FILES, &json!({"number": number, "after": after}))?;
            let Some(page) = more.and_then(|m| m.files) else { break };
            next = page.page_info.next();
            files.extend(page.into_nodes().map(|f| f.path));
        }
        Ok(files)
    }

    fn all_issues(&mut self, number: u64, first: Page<Issue>) -> Result<Vec<Issue>, MiningError> {
        let mut next = first.page_info.next();
        let mut issues: Vec<Issue> = first.into_nodes().collect();
        for _ in 0..MOST_PAGES {
            let Some(after) = next.take() else { break };
            let more: Option<MoreIssues> = self.one(ISSUES, &json!({"number": number, "after": after}))?;
            let Some(page) = more.and_then(|m| m.closing_issues_references) else { break };
            next = page.page_info.next();
            issues.extend(page.into_nodes());
        }
        Ok(issues)
    }

    /// The commit that the change was made on, or why it cannot be told.
    fn base(&mut self, pull: &PullRequest, commit: &MergeCommit) -> Result<Result<String, &'static str>, MiningError> {
        super::landing::base(self, pull, commit)
    }
}
