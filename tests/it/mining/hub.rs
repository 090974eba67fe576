//! A server that answers as GitHub documents its GraphQL interface: pages by cursors, headers of limits, errors in a good
//! status, and faults on demand.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// A token that must be seen nowhere.
pub const CANARY: &str = "canary-of-the-miner-5b1e77d2c9";

/// A merged pull request.
#[derive(Clone, Debug)]
pub struct Pull {
    pub number: u64,
    pub merged_at: String,
    pub updated_at: String,
    pub fix: Option<String>,
    pub headline: String,
    pub parents: Vec<String>,
    /// Headlines of its own commits.
    pub commits: Vec<String>,
    /// What came before the commit that merged it, newest first: itself too.
    pub history: Vec<(String, String)>,
    /// Number, title, body.
    pub issues: Vec<(u64, String, String)>,
    pub files: Vec<String>,
}

/// A commit's name made of a number.
pub fn oid(number: u64) -> String {
    format!("{number:040x}")
}

impl Pull {
    /// One that is a candidate.
    pub fn good(number: u64) -> Pull {
        Pull {
            number,
            merged_at: format!("2025-{:02}-{:02}T10:00:00Z", 1 + number / 28 % 12, 1 + number % 28),
            updated_at: format!("2025-{:02}-{:02}T11:00:00Z", 1 + number / 28 % 12, 1 + number % 28),
            fix: Some(oid(number)),
            headline: format!("Fix it (#{number})"),
            parents: vec![oid(10_000 + number)],
            commits: vec!["Fix it".into()],
            history: Vec::new(),
            issues: vec![(5000 + number, format!("It is broken {number}"), "Very.\n\n### Solution\nUse a map.".into())],
            files: vec!["src/shop.py".into(), "tests/test_shop.py".into()],
        }
    }
}

/// What the server knows and what it was asked.
#[derive(Default)]
pub struct Hub {
    /// Newest update first.
    pub pulls: Vec<Pull>,
    /// Answers that come before any real one.
    pub faults: Mutex<VecDeque<ResponseTemplate>>,
    /// Variables of each question.
    pub asked: Mutex<Vec<Value>>,
    /// Pull requests that the server cannot tell of, by their place in the list.
    pub lost: Mutex<Vec<usize>>,
    /// Larger pages than this time out.
    pub most: Option<u64>,
}

impl Hub {
    pub fn of(pulls: Vec<Pull>) -> Arc<Hub> {
        Arc::new(Hub { pulls, ..Hub::default() })
    }

    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    pub fn fault(&self, fault: ResponseTemplate) {
        self.faults.lock().unwrap().push_back(fault);
    }

    /// Serves it; the address of the interface.
    pub async fn serve(self: &Arc<Hub>) -> (MockServer, String) {
        let server = MockServer::start().await;
        Mock::given(method("POST")).and(path("/graphql")).respond_with(Answers(Arc::clone(self))).mount(&server).await;
        let address = format!("{}/graphql", server.uri());
        (server, address)
    }
}

struct Answers(Arc<Hub>);

impl Respond for Answers {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let header = |name: &str| request.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or("").to_owned();
        if header("authorization") != format!("Bearer {CANARY}") || header("user-agent").is_empty() {
            let said = format!("Bad credentials: {}", header("authorization"));
            return ResponseTemplate::new(401).set_body_json(json!({"message": said}));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let hub = &self.0;
        hub.asked.lock().unwrap().push(body["variables"].clone());
        if let Some(fault) = hub.faults.lock().unwrap().pop_front() {
            return fault;
        }
        let (query, variables) = (body["query"].as_str().unwrap(), &body["variables"]);
        if variables["owner"] != "me" || variables["name"] != "shop" {
            let error =
                json!({"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve to a Repository"});
            return good(json!({"data": {"repository": null}, "errors": [error]}));
        }
        if !query.contains("pullRequest(") {
            return hub.list(variables);
        }
        let pull = hub.pulls.iter().find(|p| json!(p.number) == variables["number"]).unwrap();
        let one = if query.contains("history(") {
            landing(pull)
        } else if query.contains("files(") {
            json!({"files": page(&files(pull), 100, variables["after"].as_str())})
        } else {
            json!({"closingIssuesReferences": page(&issues(pull), 50, variables["after"].as_str())})
        };
        good(json!({"data": {"rateLimit": limit(), "repository": {"pullRequest": one}}}))
    }
}

impl Hub {
    fn list(&self, variables: &Value) -> ResponseTemplate {
        let size = variables["size"].as_u64().unwrap();
        if self.most.is_some_and(|most| size > most) {
            return ResponseTemplate::new(502).set_body_string("<html>Unicorn!</html>");
        }
        let mut errors = Vec::new();
        let all: Vec<Value> = self.pulls.iter().map(node).collect();
        let mut list = page(&all, usize::try_from(size).unwrap(), variables["after"].as_str());
        let from: usize = variables["after"].as_str().map_or(0, |a| a.trim_start_matches("c:").parse().unwrap());
        for lost in self.lost.lock().unwrap().iter().filter(|l| (from..from + size as usize).contains(l)) {
            list["nodes"][lost - from] = Value::Null;
            let path = json!(["repository", "pullRequests", "nodes", lost - from]);
            errors.push(json!({"message": "Something went wrong while executing your query.", "path": path}));
        }
        let data = json!({"rateLimit": limit(), "repository": {"pullRequests": list}});
        good(if errors.is_empty() { json!({"data": data}) } else { json!({"data": data, "errors": errors}) })
    }
}

/// A good answer with the headers that come with each.
pub fn good(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200)
        .insert_header("x-ratelimit-limit", "5000")
        .insert_header("x-ratelimit-remaining", "4990")
        .insert_header("x-ratelimit-reset", "1000")
        .insert_header("x-ratelimit-resource", "graphql")
        .set_body_json(body)
}

fn limit() -> Value {
    json!({"cost": 1, "remaining": 4990, "resetAt": "2026-01-01T00:00:00Z"})
}

/// A page of a list: a cursor is the number of what came before.
fn page(all: &[Value], size: usize, after: Option<&str>) -> Value {
    let from: usize = after.map_or(0, |a| a.strip_prefix("c:").unwrap().parse().unwrap());
    let to = all.len().min(from + size);
    let end = (to > from).then(|| format!("c:{to}"));
    json!({
        "totalCount": all.len(),
        "pageInfo": {"hasNextPage": to < all.len(), "endCursor": end},
        "nodes": &all[from..to],
    })
}

fn files(pull: &Pull) -> Vec<Value> {
    pull.files.iter().map(|f| json!({"path": f})).collect()
}

fn issues(pull: &Pull) -> Vec<Value> {
    pull.issues.iter().map(|(number, title, body)| json!({"number": number, "title": title, "body": body})).collect()
}

fn headlines(commits: &[String]) -> Vec<Value> {
    commits.iter().map(|h| json!({"commit": {"messageHeadline": h}})).collect()
}

fn node(pull: &Pull) -> Value {
    let parents: Vec<Value> = pull.parents.iter().map(|p| json!({"oid": p})).collect();
    let last = &pull.commits[pull.commits.len() - 1..];
    json!({
        "number": pull.number,
        "mergedAt": pull.merged_at,
        "updatedAt": pull.updated_at,
        "mergeCommit": pull.fix.as_ref().map(|fix| {
            json!({"oid": fix, "messageHeadline": pull.headline, "parents": {"nodes": parents}})
        }),
        "commits": {"totalCount": pull.commits.len(), "nodes": headlines(last)},
        "closingIssuesReferences": page(&issues(pull), 10, None),
        "files": page(&files(pull), 100, None),
    })
}

fn landing(pull: &Pull) -> Value {
    let past: Vec<Value> =
        pull.history.iter().map(|(oid, headline)| json!({"oid": oid, "messageHeadline": headline})).collect();
    json!({
        "commits": {"totalCount": pull.commits.len(), "nodes": headlines(&pull.commits)},
        "mergeCommit": {"history": {"nodes": past}},
    })
}
