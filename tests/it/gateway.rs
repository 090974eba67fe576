//! Models over HTTP, with every fault that providers have, and those that need no network.

mod cli;
mod dialects;
mod faults;
mod keys;
mod offline;

use serde_json::{Value, json};
use std::time::Duration;
use tsbench::gateway::{
    AgentKind, Call, Gateway, GatewayError, Gateways, Message, MockContext, ModelEntry, Models, Reply, Request, Retry,
    Secrets,
};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A key that must be seen nowhere.
const CANARY: &str = "canary-7f3a91c2e8d44b60-of-the-gateway";

/// `models.toml` with one model at an address.
fn models(base: &str, dialect: &str, more: &str) -> Models {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("models.toml");
    let text = format!(
        "[[models]]\nid = \"t/model\"\nname = \"Model\"\nmaker = \"Maker\"\ntier = \"paid\"\ndialect = \"{dialect}\"\n\
         base_url = \"{base}\"\nmodel = \"their-model\"\nkey_env = \"THEIR_KEY\"\n\
         price = {{ input = 1.0, cached_input = 0.1, cache_write = 1.25, output = 10.0 }}\n{more}\n"
    );
    std::fs::write(&file, text).unwrap();
    Models::read(&file).unwrap()
}

fn entry(base: &str, dialect: &str, more: &str) -> ModelEntry {
    models(base, dialect, more).find("t/model").unwrap()
}

fn secrets() -> Secrets {
    Secrets::gather([("THEIR_KEY".to_owned(), CANARY.to_owned())], None, ["THEIR_KEY"])
}

fn context() -> MockContext {
    let agent = AgentKind::Shell { submit: "echo TSBENCH_DONE".into() };
    MockContext { solution: Vec::new(), seed: "run|task|model|0".into(), agent }
}

/// Gateways that try as often as real ones and wait as good as not.
fn gateways() -> Gateways {
    let retry = Retry { first: Duration::from_millis(1), most: Duration::from_millis(40), ..Retry::default() };
    Gateways::new(secrets()).with_retry(retry)
}

fn gateway(entry: &ModelEntry) -> Box<dyn Gateway> {
    gateways().open(entry, context()).unwrap()
}

/// A first question.
fn question() -> Request {
    Request {
        messages: vec![Message::system("Be brief."), Message::user("Fix it.")],
        tools: Vec::new(),
        max_output_tokens: 512,
        seconds_left: 600.0,
    }
}

/// A conversation in which the model has spoken.
fn later() -> Request {
    let mut request = question();
    request.messages.extend([Message::assistant(&said("ls")), Message::user("a.py")]);
    request
}

fn said(text: &str) -> Reply {
    Reply {
        text: text.into(),
        tool_calls: Vec::new(),
        finish: tsbench::gateway::Finish::Stop,
        usage: None,
        cost_usd: None,
        seconds: 0.0,
        waited_seconds: 0.0,
    }
}

/// A good answer in the `openai` dialect: 1000 tokens of input, 400 of them cached, and 50 of output.
fn answer(text: &str) -> Value {
    json!({
        "id": "x", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 400}},
    })
}

/// What [`answer`] costs.
const ANSWER_USD: f64 = (600.0 * 1.0 + 400.0 * 0.1 + 50.0 * 10.0) / 1e6;

/// A server that gives these answers in turn, and the last of them for ever.
async fn server(answers: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let last = answers.len() - 1;
    for (i, answer) in answers.into_iter().enumerate() {
        let mock = Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(answer);
        if i < last { mock.up_to_n_times(1) } else { mock }.mount(&server).await;
    }
    server
}

/// Asks a server of the `openai` dialect.
async fn ask(server: &MockServer, request: &Request) -> (Result<Reply, GatewayError>, Vec<Call>) {
    ask_at(&format!("{}/v1", server.uri()), "", request).await
}

async fn ask_at(base: &str, more: &str, request: &Request) -> (Result<Reply, GatewayError>, Vec<Call>) {
    let gateway = gateway(&entry(base, "openai", more));
    let mut calls = Vec::new();
    let end = gateway.complete(request, &mut calls).await;
    (end, calls)
}

/// Classes of the tries, `reply` for a good one.
fn classes(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.class.as_deref().unwrap_or("reply")).collect()
}
