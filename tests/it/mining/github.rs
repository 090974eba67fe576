//! Three pages of 120 pull requests, and everything that is read of one.

use super::hub::{CANARY, Hub, Pull, oid};
use super::world::World;
use super::{field, lines};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tsbench::mining::{Around, Client, Http, Ledger, Mined, MiningError, Pages, Wanted, mine_github};

/// A folder that is mined into, and a clock.
pub struct Bench {
    pub dir: TempDir,
    pub hub: Arc<Hub>,
    pub address: String,
    _server: wiremock::MockServer,
}

/// What came of a call, the waits it made, and what it warned of.
pub struct Call {
    pub end: Result<Mined, MiningError>,
    pub waits: Vec<u64>,
    pub warnings: Vec<String>,
}

/// The second at which calls are made unless they say otherwise.
pub const NOW: i64 = 1_000;

impl Bench {
    pub async fn new(hub: Arc<Hub>) -> Bench {
        let (server, address) = hub.serve().await;
        Bench { dir: tempfile::tempdir().unwrap(), hub, address, _server: server }
    }

    pub fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    pub fn mine(&self, wanted: &Wanted) -> Call {
        self.mine_at(wanted, NOW, u64::MAX)
    }

    /// Mines at a second, and is interrupted when it looks whether to go on for the time after `looks`.
    pub fn mine_at(&self, wanted: &Wanted, now: i64, looks: u64) -> Call {
        let (waits, warnings, left) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()), Cell::new(looks));
        let pause = |wait: Duration, _: &str| {
            if !wait.is_zero() {
                waits.borrow_mut().push(wait.as_secs());
                return true;
            }
            left.set(left.get().saturating_sub(1));
            left.get() > 0
        };
        let around = Around { now: &|| now, pause: &pause };
        let end = tokio::task::block_in_place(|| {
            let api = Http::new(&self.address, CANARY)?;
            let mut client = Client::new(&api, Pages::new(&self.dir.path().join("cache"), 3600), around);
            let (mut ledger, _) = Ledger::open(&self.out())?;
            let warn = |text| warnings.borrow_mut().push(text);
            mine_github(&mut client, "me/shop", wanted, None, &mut ledger, &|_| {}, &warn)
        });
        Call { end, waits: waits.into_inner(), warnings: warnings.into_inner() }
    }

    pub fn candidates(&self) -> Vec<Value> {
        lines(&self.out().join("candidates.jsonl"))
    }

    pub fn rejections(&self) -> Vec<Value> {
        lines(&self.out().join("rejections.jsonl"))
    }

    pub fn asked(&self) -> usize {
        self.hub.asked().len()
    }
}

/// 120 pull requests of six kinds, 20 of each.
fn many() -> Vec<Pull> {
    let one = |number: u64| {
        let good = Pull::good(number);
        match number % 6 {
            0 => Pull { issues: Vec::new(), ..good },
            1 => Pull { files: vec!["src/shop.py".into(), "README.md".into()], ..good },
            2 => Pull { files: vec!["tests/test_shop.py".into()], ..good },
            3 => Pull { fix: None, ..good },
            4 => Pull { files: vec!["docs/a.md".into(), "tests/test_shop.py".into()], ..good },
            _ => good,
        }
    };
    (1..=120).rev().map(one).collect()
}

fn by_reason(rejections: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for reason in field(rejections, "reason") {
        *counts.entry(reason).or_insert(0) += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn three_pages_give_their_candidates_and_a_reason_for_every_other_pull_request() {
    let bench = Bench::new(Hub::of(many())).await;
    let call = bench.mine(&Wanted::default());
    assert_eq!(call.end.unwrap(), Mined { seen: 120, known: 0, left_out: 0 });
    let asked = bench.hub.asked();
    let cursors: Vec<&Value> = asked.iter().map(|v| &v["after"]).collect();
    assert_eq!(cursors, [&json!(null), &json!("c:50"), &json!("c:100")]);
    let wanted: Vec<String> = (1..=120).rev().filter(|n| n % 6 == 5).map(|n| format!("me__shop-{n}")).collect();
    assert_eq!(field(&bench.candidates(), "id"), wanted);
    let rejections = bench.rejections();
    let reasons = [
        "GitHub names no commit that merged it",
        "it changes no code in a language that can be tested",
        "it changes no test",
        "it changes tests alone",
        "it closes no issue",
    ];
    assert_eq!(by_reason(&rejections), reasons.map(|r| (r.to_owned(), 20)).into_iter().collect());
    assert!(rejections.iter().all(|r| r["stage"] == "mining" && r["at"] == "1970-01-01T00:16:40Z"));
    let first = &bench.candidates()[0];
    let wanted = json!({"id": "me__shop-119", "repo": "me/shop", "fix": oid(119), "base": oid(10_119),
        "pull_request": 119, "issue": 5119, "problem": "problems/me__shop-119.md"});
    assert_eq!(*first, wanted);
    let problem = std::fs::read_to_string(bench.out().join("problems/me__shop-119.md")).unwrap();
    assert_eq!(problem, "It is broken 119\n\nVery.\n", "the solution is cut");
    assert!(tsbench::validation::read_candidates(&bench.out().join("candidates.jsonl")).unwrap()[0].problem.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_kept_until_they_expire_and_nothing_is_decided_twice() {
    let bench = Bench::new(Hub::of(many())).await;
    bench.mine(&Wanted::default()).end.unwrap();
    let before = (bench.candidates(), bench.rejections());
    let again = bench.mine(&Wanted::default()).end.unwrap();
    assert_eq!((again.known, bench.asked()), (120, 3), "the pages are taken from the cache");
    bench.mine_at(&Wanted::default(), NOW + 3600, u64::MAX).end.unwrap();
    assert_eq!(bench.asked(), 6, "the pages have expired");
    assert_eq!((bench.candidates(), bench.rejections()), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cut_off_anywhere_loses_nothing_and_repeats_nothing() {
    let whole = Bench::new(Hub::of(many())).await;
    whole.mine(&Wanted::default()).end.unwrap();
    let bench = Bench::new(Hub::of(many())).await;
    let call = bench.mine_at(&Wanted::default(), NOW, 2);
    assert!(matches!(call.end, Err(MiningError::Interrupted)));
    assert_eq!((bench.asked(), bench.candidates().len() + bench.rejections().len()), (1, 50));
    // A crash in the middle of a line, and after the page was read: its cursor is not noted.
    for (name, rest) in [("candidates.jsonl", "{\"id\":\"me__shop-65"), ("rejections.jsonl", "{")] {
        let file = bench.out().join(name);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{text}{rest}")).unwrap();
    }
    let call = bench.mine_at(&Wanted::default(), NOW + 3600, u64::MAX);
    assert_eq!(call.end.unwrap().known, 0, "it goes on behind the first page");
    assert_eq!(bench.hub.asked()[1]["after"], "c:50");
    assert_eq!(bench.candidates(), whole.candidates());
    let reasons = |b: &Bench| b.rejections().iter().map(|r| (r["id"].clone(), r["reason"].clone())).collect::<Vec<_>>();
    assert_eq!(reasons(&bench), reasons(&whole));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_and_every_issue_of_a_pull_request_is_read() {
    let mut files: Vec<String> = (0..230).map(|n| format!("src/part_{n}.py")).collect();
    files.push("tests/test_last.py".into());
    let issues = (1..=62).map(|n| (n, format!("Trouble {n}"), String::new())).collect();
    let pulls = vec![Pull { files, issues, ..Pull::good(7) }, Pull::good(6)];
    let bench = Bench::new(Hub::of(pulls)).await;
    bench.mine(&Wanted::default()).end.unwrap();
    let asked: Vec<String> =
        bench.hub.asked().iter().skip(1).map(|v| v["after"].as_str().unwrap().to_owned()).collect();
    assert_eq!(asked, ["c:100", "c:200", "c:10", "c:60"]);
    assert_eq!(field(&bench.candidates(), "id"), ["me__shop-7", "me__shop-6"]);
    let problem = std::fs::read_to_string(bench.out().join("problems/me__shop-7.md")).unwrap();
    assert!(problem.starts_with("Trouble 1\n") && problem.ends_with("## Trouble 62\n"), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn merges_squashes_and_commits_put_on_one_by_one_each_have_their_base() {
    let merged = Pull { parents: vec![oid(20), oid(21)], headline: "Merge pull request #1".into(), ..Pull::good(1) };
    let own = vec!["One".to_owned(), "Two".to_owned()];
    let squashed = Pull { commits: own.clone(), ..Pull::good(2) };
    let past = |headlines: &[&str]| -> Vec<(String, String)> {
        headlines.iter().enumerate().map(|(n, h)| (oid(30 + n as u64), (*h).to_owned())).collect()
    };
    let rebased = |number, history| {
        let (fix, parents) = (Some(oid(30)), vec![oid(31)]);
        Pull { commits: own.clone(), headline: "Two".into(), history, fix, parents, ..Pull::good(number) }
    };
    let pulls = vec![
        merged,
        squashed,
        rebased(3, past(&["Two", "One", "Before", "Long before"])),
        // Squashed under the name of its last commit.
        rebased(4, past(&["Two", "Before", "Long before"])),
        // Its first commit is the first of all.
        rebased(5, past(&["Two", "One"])),
        Pull { parents: Vec::new(), ..Pull::good(6) },
        Pull { fix: Some("--output=x".into()), ..Pull::good(8) },
    ];
    let bench = Bench::new(Hub::of(pulls)).await;
    bench.mine(&Wanted::default()).end.unwrap();
    let candidates = bench.candidates();
    assert_eq!(field(&candidates, "base"), [oid(20), oid(10_002), oid(32), oid(31)]);
    let rejections = bench.rejections();
    assert_eq!(field(&rejections, "id"), ["me__shop-5", "me__shop-6", "me__shop-8"]);
    assert!(field(&rejections, "reason")[0].starts_with("its commits were put on the main line one by one"));
    assert_eq!(field(&rejections, "fix_commit")[2], "", "no text of others becomes a commit");
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_stops_at_the_first_day_and_what_is_not_asked_for_is_no_rejection() {
    let bench = Bench::new(Hub::of(many())).await;
    let wanted = Wanted { since: Some("2025-05-01".into()), ..Wanted::default() };
    let mined = bench.mine(&wanted).end.unwrap();
    // 120 is of the 9th of May, 112 of the first, and the page of 50 goes on into March.
    assert_eq!((mined.seen, mined.left_out, bench.asked()), (50, 41, 1));
    assert_eq!(bench.candidates().len() + bench.rejections().len(), 9);
    let mined = bench.mine(&Wanted { language: Some("go".into()), ..Wanted::default() }).end.unwrap();
    assert_eq!((mined.seen, mined.known, mined.left_out), (120, 9, 18), "{mined:?}");
    assert_eq!(bench.mine(&Wanted::default()).end.unwrap().left_out, 0, "they are decided when they are asked for");
    assert_eq!(bench.candidates().len() + bench.rejections().len(), 120);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_mines_with_a_token_of_the_environment_that_is_written_nowhere() {
    let hub = Hub::of(many());
    let (_server, address) = hub.serve().await;
    let world = World::new();
    let mine = |token: Option<&str>, repo: &str, api: &str, more: &[&str]| {
        let args = ["mine", "--repo", repo, "--out", "out", "--cache", "cache", "--api", api];
        let mut command = world.tsbench();
        command.args(args).args(more).envs(token.map(|t| ("GITHUB_TOKEN", t)));
        let done = tokio::task::block_in_place(|| command.output().unwrap());
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
    };
    let (exit, out, said) = mine(Some(CANARY), "me/shop", &address, &["--json"]);
    assert_eq!(exit, 0, "{said}");
    let table: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&table["seen"], &table["candidates"]), (&json!(120), &json!(20)));
    assert_eq!(table["rejected"].as_array().unwrap().len(), 5);
    assert!(said.contains("out/rejections.jsonl"), "{said}");
    let (exit, _, said) = mine(None, "me/shop", &address, &[]);
    assert!(exit == 3 && said.contains("GITHUB_TOKEN") && said.contains("hint:"), "{exit} {said}");
    let (exit, _, said) = mine(Some("another-token-that-is-wrong"), "me/shop", &address, &["--cache-hours", "0"]);
    assert!(exit == 3 && said.contains("Bad credentials") && !said.contains("another-token"), "{exit} {said}");
    let (exit, _, said) = mine(Some(CANARY), "me/shop", "http://example.org/graphql", &[]);
    assert!(exit == 2 && said.contains("https://"), "{exit} {said}");
    let (exit, _, said) = mine(Some(CANARY), "../x", &address, &[]);
    assert!(exit == 2 && said.contains("hint:"), "{exit} {said}");
    let (exit, _, said) = mine(Some(CANARY), "me/other", &address, &[]);
    assert!(exit == 2 && said.contains("Could not resolve") && said.contains("hint:"), "{exit} {said}");
    assert_eq!(holds(world.dir.path(), CANARY), Vec::<PathBuf>::new());
}

/// Files below a folder that hold a text.
fn holds(dir: &Path, text: &str) -> Vec<PathBuf> {
    let files = walkdir::WalkDir::new(dir).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file());
    let with = files.filter(|e| String::from_utf8_lossy(&std::fs::read(e.path()).unwrap()).contains(text));
    with.map(|e| e.path().to_owned()).collect()
}
