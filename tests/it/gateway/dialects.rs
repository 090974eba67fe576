//! What is sent in each dialect, and what is read.

use super::*;
use tsbench::gateway::{Finish, Tool, ToolCall};
use tsbench::schema::Usage;

/// A conversation with a tool, a call and its result.
fn with_tools() -> Request {
    let mut request = question();
    let call = ToolCall { id: "call_9".into(), name: "run".into(), arguments: "{\"command\":\"ls\"}".into() };
    request.messages.push(Message::assistant(&Reply { tool_calls: vec![call], ..said("") }));
    request.messages.push(Message::tool("call_9", "a.py"));
    request.tools = vec![Tool {
        name: "run".into(),
        description: "Run a command".into(),
        parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
    }];
    request
}

/// Asks with a dialect; the reply, the tries, and the request as the server got it.
async fn exchange(dialect: &str, at: &str, more: &str, answer: Value) -> (Reply, Vec<Call>, wiremock::Request) {
    let server = MockServer::start().await;
    let good = ResponseTemplate::new(200).set_body_json(answer);
    Mock::given(method("POST")).and(path(at)).respond_with(good).mount(&server).await;
    let base = if dialect == "openai" { format!("{}/v1/", server.uri()) } else { server.uri() };
    let gateway = gateway(&entry(&base, dialect, more));
    let mut calls = Vec::new();
    let reply = gateway.complete(&with_tools(), &mut calls).await.unwrap();
    let request = server.received_requests().await.unwrap().remove(0);
    // What is recorded is what was sent.
    assert_eq!(serde_json::from_slice::<Value>(&request.body).unwrap(), calls[0].request);
    (reply, calls, request)
}

#[tokio::test]
async fn openai_chat_completions() {
    let mut body = answer("");
    body["choices"][0]["finish_reason"] = "tool_calls".into();
    body["choices"][0]["message"] = json!({"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{\"command\": "}},
        {"type": "function", "function": {"name": "run", "arguments": {"command": "ls"}}}]});
    let more = "temperature = 0.0\nreasoning_effort = \"low\"\nservice_tier = \"priority\"\nmax_output_tokens = 300";
    let (reply, calls, request) = exchange("openai", "/v1/chat/completions", more, body.clone()).await;
    assert_eq!(request.headers["authorization"], format!("Bearer {CANARY}").as_str());
    assert_eq!(calls[0].response, Some(body));
    let tool = json!({"type": "function", "function": {"name": "run", "description": "Run a command",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}});
    assert_eq!(
        calls[0].request,
        json!({"model": "their-model", "max_tokens": 300, "temperature": 0.0, "reasoning_effort": "low", "service_tier": "priority",
            "tools": [tool], "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Fix it."},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_9", "type": "function", "function": {"name": "run", "arguments": "{\"command\":\"ls\"}"}}]},
            {"role": "tool", "content": "a.py", "tool_call_id": "call_9"}]})
    );
    // Arguments that are no JSON are the model's words, kept as they are.
    assert_eq!(
        reply.tool_calls[0],
        ToolCall { id: "c1".into(), name: "run".into(), arguments: "{\"command\": ".into() }
    );
    assert_eq!(reply.tool_calls[1].arguments, "{\"command\":\"ls\"}");
    assert_eq!(reply.finish, Finish::Tools);
    assert_eq!(reply.usage, Some(Usage { input: 600, cached_input: 400, cache_write: 0, output: 50, requests: 1 }));
    assert!((reply.cost_usd.unwrap() - ANSWER_USD).abs() < 1e-12);
}

#[tokio::test]
async fn the_option_for_the_most_tokens_is_data_and_unset_options_are_not_sent() {
    let (_, calls, _) =
        exchange("openai", "/v1/chat/completions", "max_tokens_option = \"max_completion_tokens\"", answer("x")).await;
    let keys: Vec<_> = calls[0].request.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["max_completion_tokens", "messages", "model", "tools"]);
    assert_eq!(calls[0].request["max_completion_tokens"], 512);
}

#[tokio::test]
async fn anthropic_messages() {
    let body = json!({"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "tu1", "name": "run", "input": {"command": "ls"}}],
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 2000, "cache_creation_input_tokens": 300, "output_tokens": 40}});
    let (reply, calls, request) = exchange("anthropic", "/v1/messages", "temperature = 1.0", body).await;
    assert_eq!(request.headers["x-api-key"], CANARY);
    assert_eq!(request.headers["anthropic-version"], "2023-06-01");
    assert!(!request.headers.contains_key("authorization"));
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
    assert_eq!(
        calls[0].request,
        json!({"model": "their-model", "max_tokens": 512, "temperature": 1.0, "system": "Be brief.",
            "tools": [{"name": "run", "description": "Run a command", "input_schema": schema}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "call_9", "name": "run", "input": {"command": "ls"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_9", "content": "a.py",
                    "cache_control": {"type": "ephemeral"}}]}]})
    );
    assert_eq!((reply.text.as_str(), reply.finish.clone()), ("I look.", Finish::Tools));
    assert_eq!(reply.tool_calls[0].arguments, "{\"command\":\"ls\"}");
    assert_eq!(reply.usage, Some(Usage { input: 100, cached_input: 2000, cache_write: 300, output: 40, requests: 1 }));
    // 100 + 2000 at a tenth + 300 at five quarters + 40 at ten.
    assert!((reply.cost_usd.unwrap() - (100.0 + 200.0 + 375.0 + 400.0) / 1e6).abs() < 1e-12);
}

#[tokio::test]
async fn anthropics_refusals_limits_and_overload_are_what_they_are() {
    let server = MockServer::start().await;
    let body =
        |stop: &str| json!({"content": [], "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 1}});
    for (status, body) in [
        (529, json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})),
        (200, body("refusal")),
        (200, body("max_tokens")),
        (200, body("pause_turn")),
    ] {
        let mock = Mock::given(path("/v1/messages")).respond_with(ResponseTemplate::new(status).set_body_json(body));
        mock.up_to_n_times(1).mount(&server).await;
    }
    let gateway = gateway(&entry(&server.uri(), "anthropic", ""));
    let mut calls = Vec::new();
    let mut finish = Vec::new();
    for _ in 0..3 {
        finish.push(gateway.complete(&later(), &mut calls).await.unwrap().finish);
    }
    assert_eq!(finish, [Finish::Refusal, Finish::Length, Finish::Other("pause_turn".into())]);
    assert_eq!(classes(&calls), ["server", "reply", "reply", "reply"]);
}

#[tokio::test]
async fn ollamas_own_chat() {
    let body = json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "run", "arguments": {"command": "ls"}}}]},
        "done": true, "done_reason": "stop", "prompt_eval_count": 120, "eval_count": 7});
    let more = "temperature = 0.0\ncontext_tokens = 8192\nreasoning_effort = \"none\"";
    let (reply, calls, _) = exchange("ollama", "/api/chat", more, body).await;
    let request = &calls[0].request;
    assert_eq!(request["options"], json!({"num_predict": 512, "num_ctx": 8192, "temperature": 0.0}));
    assert_eq!(
        (&request["stream"], &request["truncate"], &request["shift"], &request["think"]),
        (&json!(false), &json!(false), &json!(false), &json!(false))
    );
    assert_eq!(request["messages"][3], json!({"role": "tool", "content": "a.py", "tool_name": "run"}));
    assert_eq!(request["messages"][2]["tool_calls"][0]["function"]["arguments"], json!({"command": "ls"}));
    assert_eq!(reply.finish, Finish::Tools);
    assert_eq!(
        reply.tool_calls,
        [ToolCall { id: "call_0".into(), name: "run".into(), arguments: "{\"command\":\"ls\"}".into() }]
    );
    assert_eq!(reply.usage, Some(Usage { input: 120, output: 7, requests: 1, ..Usage::default() }));
}

#[tokio::test]
async fn ollama_without_a_count_has_no_usage_and_an_unfinished_answer_is_malformed() {
    let server = MockServer::start().await;
    let part = |done: bool| json!({"message": {"role": "assistant", "content": "hi"}, "done": done, "eval_count": 3});
    for done in [true, false] {
        let answer = ResponseTemplate::new(200).set_body_json(part(done));
        // What is not finished is asked for again, and never is.
        let mock = Mock::given(path("/api/chat")).respond_with(answer);
        if done { mock.up_to_n_times(1) } else { mock }.mount(&server).await;
    }
    let gateway = gateway(&entry(&server.uri(), "ollama", ""));
    let reply = gateway.complete(&question(), &mut Vec::new()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage), ("hi", None));
    assert_eq!(gateway.complete(&question(), &mut Vec::new()).await.unwrap_err().class(), "malformed");
}
