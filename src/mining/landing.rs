//! On which commit a pull request was put: merged, squashed into one, or its commits one by one.

use super::MiningError;
use super::github::{LANDING, Miner};
use super::records::{Landing, MergeCommit, PullRequest};
use crate::git::is_commit;
use serde_json::json;

/// Commits of a pull request that are followed.
const MOST: u64 = 100;

/// The commit before the change. A merge is compared with its first parent, the main line's side; a squashed commit with
/// its only one. Of commits that were put on one by one GitHub names the last alone, so the others are looked for.
pub(super) fn base(
    miner: &mut Miner<'_, '_>,
    pull: &PullRequest,
    commit: &MergeCommit,
) -> Result<Result<String, &'static str>, MiningError> {
    let Some(parent) = commit.parents.nodes.first().map(|p| p.oid.clone()).filter(|oid| is_commit(oid)) else {
        return Ok(Err("nothing stood before it"));
    };
    let (count, last) = pull.commits.as_ref().map_or((1, None), |c| (c.total_count, c.nodes.last()));
    let squashed = commit.message_headline.trim_end().ends_with(&format!("(#{})", pull.number))
        || last.is_none_or(|last| last.commit.message_headline != commit.message_headline);
    if commit.parents.nodes.len() > 1 || count <= 1 || squashed {
        return Ok(Ok(parent));
    }
    let unclear = "its commits were put on the main line one by one, and which these are cannot be told";
    let Some(landing) = miner.one::<Landing>(LANDING, &json!({"number": pull.number}))? else {
        return Ok(Err(unclear));
    };
    Ok(before(&landing, count, parent).ok_or(unclear))
}

/// The commit before those of a pull request, if the main line ends with them; the parent, if it does not.
fn before(landing: &Landing, count: u64, parent: String) -> Option<String> {
    if count > MOST || landing.commits.nodes.len() as u64 != count {
        return None;
    }
    let past = &landing.merge_commit.as_ref()?.history.nodes;
    let own = landing.commits.nodes.iter().rev().map(|c| &c.commit.message_headline);
    let count = usize::try_from(count).ok()?;
    if past.len() >= count && past.iter().take(count).map(|p| &p.message_headline).eq(own) {
        return past.get(count).map(|p| p.oid.clone()).filter(|oid| is_commit(oid));
    }
    // One commit that is called as the last of several: squashed under that name.
    Some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landing(own: &[&str], past: &[(char, &str)]) -> Landing {
        let own: Vec<_> = own.iter().map(|h| json!({"commit": {"messageHeadline": h}})).collect();
        let past: Vec<_> =
            past.iter().map(|(c, h)| json!({"oid": c.to_string().repeat(40), "messageHeadline": h})).collect();
        let value =
            json!({"commits": {"totalCount": own.len(), "nodes": own}, "mergeCommit": {"history": {"nodes": past}}});
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn commits_put_on_one_by_one_are_found_and_a_squash_is_told_apart() {
        let past = [('c', "three"), ('b', "two"), ('a', "one"), ('0', "before"), ('9', "long before")];
        let parent = || "b".repeat(40);
        assert_eq!(before(&landing(&["one", "two", "three"], &past), 3, parent()), Some("0".repeat(40)));
        let squashed = [('c', "three"), ('b', "before"), ('a', "long before")];
        assert_eq!(before(&landing(&["one", "two", "three"], &squashed), 3, parent()), Some(parent()));
        assert_eq!(before(&landing(&["one", "two"], &past), 101, parent()), None);
        assert_eq!(before(&landing(&["one", "two", "three"], &past[..3]), 3, parent()), None, "nothing before them");
    }
}
