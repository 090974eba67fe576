//! What a program asks through the relay that would make it another contestant, and what comes back to it.

use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Duration;
use tsbench::gateway::{
    AgentKind, Asked, Call, Dialect, GatewayError, Gateways, MockContext, ModelEntry, Passed, Retry, Secrets,
};
use wiremock::{Mock, MockServer, ResponseTemplate};

fn entry(base: &str, dialect: &str, more: &str) -> ModelEntry {
    let text = format!(
        "id = \"fake/one\"\nname = \"Fake\"\nmaker = \"Us\"\ntier = \"paid\"\ndialect = \"{dialect}\"\nbase_url = \"{base}\"\n\
         model = \"cheap-model\"\nprice = {{ input = 1.0, output = 1.0 }}\nmax_output_tokens = 256\n{more}"
    );
    toml::from_str(&text).unwrap()
}

/// What a provider received of one request, what the program got, and every try.
struct Seen {
    received: Vec<wiremock::Request>,
    passed: Passed,
    calls: Vec<Call>,
}

async fn pass(dialect: &str, more: &str, asked: Asked, answers: Vec<ResponseTemplate>) -> Seen {
    let server = MockServer::start().await;
    let left = Mutex::new(answers);
    let respond = move |_: &wiremock::Request| {
        let mut left = left.lock().unwrap();
        if left.len() > 1 { left.remove(0) } else { left[0].clone() }
    };
    Mock::given(wiremock::matchers::any()).respond_with(respond).mount(&server).await;
    let retry = Retry { first: Duration::from_millis(1), most: Duration::from_millis(2), ..Retry::default() };
    let mock = MockContext { solution: Vec::new(), seed: "s".into(), agent: AgentKind::Shell { submit: "x".into() } };
    let gateways = Gateways::new(Secrets::default()).with_retry(retry);
    let relay = gateways.relay(&entry(&server.uri(), dialect, more), mock).unwrap();
    let mut calls = Vec::new();
    let passed = relay.pass(&asked, 200, 60.0, &mut calls).await;
    Seen { received: server.received_requests().await.unwrap(), passed, calls }
}

fn path(dialect: &str) -> &'static str {
    match serde_json::from_value(dialect.into()).unwrap() {
        Dialect::Openai => "/v1/chat/completions",
        Dialect::Anthropic => "/v1/messages",
        Dialect::Ollama => "/api/chat",
        Dialect::Mock | Dialect::Replay => unreachable!("these are not asked over HTTP"),
    }
}

fn asked(dialect: &str, body: &Value) -> Asked {
    Asked { path: path(dialect).to_owned(), headers: Vec::new(), body: body.to_string().into_bytes() }
}

fn answer(dialect: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(match dialect {
        "openai" => json!({"model": "dear-model", "choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}),
        "anthropic" => json!({"model": "dear-model", "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn", "usage": {"input_tokens": 10, "output_tokens": 1}}),
        _ => json!({"model": "dear-model", "message": {"content": "ok"}, "done": true, "prompt_eval_count": 10, "eval_count": 1}),
    })
}

/// Everything by which a request might choose more than what its model reads and how it writes.
fn greedy() -> Value {
    // A text, since it is longer than the macro takes.
    serde_json::from_str(
        r#"{
        "model": "dear", "models": ["dear-model"], "route": "fallback", "provider": {"order": ["x"], "sort": "throughput"},
        "plugins": [{"id": "web"}], "web_search_options": {}, "transforms": ["middle-out"], "preset": "x",
        "service_tier": "priority", "speed": "fast", "priority": 9, "inference_geo": "us",
        "reasoning_effort": "high", "reasoning": {"effort": "xhigh"}, "thinking": {"type": "enabled", "budget_tokens": 100000},
        "think": "high", "enable_thinking": true, "chat_template_kwargs": {"thinking": true}, "output_config": {"effort": "max"},
        "mcp_servers": [{"url": "https://example.org"}], "container": {"skills": []}, "context_management": {},
        "store": true, "metadata": {"a": "b"}, "previous_response_id": "r", "conversation": "c", "background": true,
        "prompt_cache_retention": "24h", "user": "u", "safety_identifier": "s", "modalities": ["audio"], "audio": {},
        "prediction": {}, "extra_body": {"models": ["dear-model"]}, "keep_alive": "24h", "search_parameters": {"mode": "on"},
        "tools": [{"type": "web_search"}, {"type": "file_search"}, {"type": "web_search_20250305", "name": "web_search"},
            {"type": "code_execution_20250522", "name": "code_execution"}, {"google_search": {}}, {"type": "computer_use_preview"}],
        "tool_choice": {"type": "web_search"}, "n": 5, "best_of": 5, "max_tokens": 99999, "stream": false,
        "messages": [{"role": "user", "content": [
            {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            {"type": "image_url", "image_url": {"url": "http://169.254.169.254/latest"}},
            {"type": "document", "source": {"type": "url", "url": "https://example.org/x.pdf"}}
        ]}]
    }"#,
    )
    .unwrap()
}

#[tokio::test]
async fn a_request_that_wants_more_than_its_model_gets_its_model() {
    for dialect in ["openai", "anthropic", "ollama"] {
        let seen = pass(dialect, "", asked(dialect, &greedy()), vec![answer(dialect)]).await;
        assert_eq!((seen.passed.status, seen.received.len()), (200, 1), "{dialect}");
        let body: Value = serde_json::from_slice(&seen.received[0].body).unwrap();
        let names: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let expected: &[&str] = match dialect {
            "openai" | "anthropic" => &["max_tokens", "messages", "model", "stream"],
            _ => &["messages", "model", "options", "shift", "stream", "truncate"],
        };
        assert_eq!(names, expected, "{dialect}");
        assert_eq!(body["model"], "cheap-model");
        let text = body.to_string();
        for bad in ["dear", "example.org", "169.254", "ttl", "web_search", "99999"] {
            assert!(!text.contains(bad), "{dialect} {bad}: {text}");
        }
        let call = &seen.calls[0];
        assert_eq!(call.served_model.as_deref(), Some("dear-model"), "the record names who answered");
        for place in ["models", "plugins", "service_tier", "extra_body", "thinking"] {
            assert!(call.left_out.iter().any(|l| l == place), "{dialect} {place}: {:?}", call.left_out);
        }
    }
}

#[tokio::test]
async fn an_entry_alone_decides_on_effort_tier_and_features() {
    let more = "reasoning_effort = \"low\"\nservice_tier = \"flex\"\nfeatures = [\"fine-grained-2025\"]\n";
    let mut request = asked("anthropic", &greedy());
    request.headers = [
        ("anthropic-beta", "context-1m-2025, fine-grained-2025"),
        ("openai-beta", "x=1"),
        ("x-api-key", "mine"),
        ("authorization", "Bearer mine"),
        ("x-forwarded-for", "1"),
    ]
    .map(|(n, v)| (n.to_owned(), v.to_owned()))
    .to_vec();
    let seen = pass("anthropic", more, request, vec![answer("anthropic")]).await;
    let received = &seen.received[0];
    let body: Value = serde_json::from_slice(&received.body).unwrap();
    assert_eq!((&body["output_config"], &body["service_tier"]), (&json!({"effort": "low"}), &json!("flex")));
    assert_eq!(received.headers["anthropic-beta"], "fine-grained-2025");
    for name in ["openai-beta", "x-api-key", "authorization", "x-forwarded-for"] {
        assert!(received.headers.get(name).is_none(), "{name}");
    }
}

#[tokio::test]
async fn what_an_honest_program_needs_passes_unchanged() {
    let tool =
        json!({"type": "function", "function": {"name": "run", "description": "d", "parameters": {"type": "object"}}});
    let call = json!({"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}});
    let openai = json!({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"},
        {"role": "assistant", "content": null, "tool_calls": [call], "reasoning_content": "r"}, {"role": "tool", "tool_call_id": "c", "content": "out"}],
        "tools": [tool], "tool_choice": "auto", "parallel_tool_calls": true, "temperature": 0.5, "top_p": 0.9, "seed": 1,
        "stop": ["x"], "response_format": {"type": "json_object"}, "max_tokens": 50});
    let anthropic = json!({"system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}], "max_tokens": 50,
        "messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "g"}, {"type": "tool_use", "id": "t", "name": "run", "input": {"a": 1}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "out"}], "is_error": false}]}],
        "tools": [{"name": "run", "description": "d", "input_schema": {"type": "object"}}], "tool_choice": {"type": "auto"},
        "temperature": 1.0, "top_k": 5, "stop_sequences": ["x"]});
    for (dialect, body) in [("openai", openai), ("anthropic", anthropic)] {
        let seen = pass(dialect, "", asked(dialect, &body), vec![answer(dialect)]).await;
        let mut received: Value = serde_json::from_slice(&seen.received[0].body).unwrap();
        assert_eq!(received.as_object_mut().unwrap().remove("model"), Some("cheap-model".into()));
        assert_eq!(received, body, "{dialect}");
        assert_eq!(seen.calls[0].left_out, Vec::<String>::new(), "{dialect}");
    }
}

#[tokio::test]
async fn a_request_that_is_none_goes_nowhere() {
    for (path, body) in [
        ("/v1/embeddings", "{\"messages\": []}"),
        ("/v1/chat/completions/../files", "{\"messages\": []}"),
        ("/v1/chat/completions", "[1]"),
        ("/v1/chat/completions", "{\"messages\": \"x\"}"),
        ("/v1/chat/completions", "{\"input\": []}"),
        ("/v1/chat/completions", ""),
    ] {
        let request = Asked { path: path.to_owned(), headers: Vec::new(), body: body.as_bytes().to_vec() };
        let seen = pass("openai", "", request, vec![answer("openai")]).await;
        assert!((400..500).contains(&seen.passed.status), "{path} {body}");
        assert_eq!((seen.received.len(), seen.calls.len()), (0, 0), "{path} {body}");
    }
}

#[tokio::test]
async fn an_answer_that_was_lost_is_asked_for_again_and_bad_characters_reach_no_program() {
    let hello = json!({"messages": [{"role": "user", "content": "hi"}]});
    let page = ResponseTemplate::new(200).set_body_raw("<html>busy</html>", "text/html");
    let seen = pass("openai", "", asked("openai", &hello), vec![page.clone(), answer("openai")]).await;
    assert_eq!((seen.passed.status, seen.calls.len(), seen.passed.error), (200, 2, None));
    let seen = pass("openai", "", asked("openai", &hello), vec![page]).await;
    assert_eq!((seen.passed.status, seen.calls.len()), (502, 5), "what no program can read is told as an error");
    serde_json::from_slice::<Value>(&seen.passed.body).unwrap();
    // A status that refuses is the program's to see: it has a patience of its own.
    let busy = ResponseTemplate::new(503).set_body_json(json!({"error": {"message": "busy"}}));
    let seen = pass("openai", "", asked("openai", &hello), vec![busy, answer("openai")]).await;
    assert_eq!((seen.passed.status, seen.calls.len()), (503, 1));
    let half = "{\"choices\":[{\"message\":{\"content\":\"a\\ud83d\\u0000\"},\"finish_reason\":\"stop\"}]}";
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\\u0000\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    for (kind, body) in [("application/json", half), ("text/event-stream", stream)] {
        let bad = ResponseTemplate::new(200).set_body_raw(body, kind);
        let seen = pass("openai", "", asked("openai", &hello), vec![bad]).await;
        let text = String::from_utf8(seen.passed.body).unwrap();
        assert!(text.contains("\"a\u{FFFD}\u{FFFD}\"") && text.ends_with(&body[body.len() - 4..]), "{text}");
        assert_eq!((seen.passed.kind.as_str(), seen.passed.reply.unwrap().text.as_str()), (kind, "a\u{FFFD}\u{FFFD}"));
    }
}

#[tokio::test]
async fn a_programs_conversation_that_outgrew_its_model_is_the_models() {
    let long = json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ls"}, {"role": "user", "content": "x"}]});
    let refused = || {
        ResponseTemplate::new(400)
            .set_body_json(json!({"error": {"message": "Prompt exceeds max length", "code": "1261"}}))
    };
    let seen = pass("openai", "", asked("openai", &long), vec![refused()]).await;
    assert!(matches!(seen.passed.error, Some(GatewayError::ContextOverflow { .. })), "{:?}", seen.passed.error);
    assert_eq!(seen.passed.status, 400);
    let first = json!({"messages": [{"role": "user", "content": "hi"}]});
    let seen = pass("openai", "", asked("openai", &first), vec![refused()]).await;
    assert!(matches!(seen.passed.error, Some(GatewayError::BadRequest { .. })), "{:?}", seen.passed.error);
}
