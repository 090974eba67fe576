//! Providers that misbehave, each as it was met: what is the model's is judged, what is the provider's is asked again.

mod overflow_words;

use self::overflow_words::overflows;
use crate::attempts::world::{World, ends_with};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tsbench::gateway::{Call, Gateways, Message, MockContext, ModelEntry, Reply, Request, Retry, Secrets};
use tsbench::schema::Outcome;
use wiremock::{Mock, MockServer, ResponseTemplate};

const FIX: &str = "```bash\necho yes >answer.txt\n```";
const DONE: &str = "```bash\necho TSBENCH_DONE\n```";

/// The fields of a model in `models.toml`.
fn fields(base: &str, dialect: &str, more: &str) -> String {
    format!(
        "id = \"m/x\"\nname = \"X\"\nmaker = \"M\"\ntier = \"paid\"\ndialect = \"{dialect}\"\nbase_url = \"{base}\"\n\
         model = \"x\"\nprice = {{ input = 1.0, output = 2.0 }}\n{more}"
    )
}

fn entry(base: &str, dialect: &str, more: &str) -> ModelEntry {
    toml::from_str(&fields(base, dialect, more)).unwrap()
}

fn request(answered: bool) -> Request {
    let mut messages = vec![Message::user("Fix it.")];
    if answered {
        let reply = Reply {
            text: "ls".into(),
            tool_calls: Vec::new(),
            finish: tsbench::gateway::Finish::Stop,
            usage: None,
            cost_usd: None,
            seconds: 0.0,
            waited_seconds: 0.0,
        };
        messages.extend([Message::assistant(&reply), Message::user("a.py")]);
    }
    Request { messages, tools: Vec::new(), max_output_tokens: 256, seconds_left: 600.0 }
}

/// Answers these requests in turn, the last of them for ever; how each ended, and all tries.
async fn asked(
    dialect: &str,
    more: &str,
    requests: &[Request],
    answers: Vec<ResponseTemplate>,
) -> (Vec<Result<Reply, &'static str>>, Vec<Call>) {
    let server = MockServer::start().await;
    let next = AtomicUsize::new(0);
    let answer = move |_: &wiremock::Request| {
        let at = next.fetch_add(1, Ordering::Relaxed).min(answers.len() - 1);
        answers[at].clone()
    };
    Mock::given(wiremock::matchers::any()).respond_with(answer).mount(&server).await;
    let millis = std::time::Duration::from_millis;
    let retry = Retry { first: millis(1), most: millis(2), ..Retry::default() };
    let gateways = Gateways::new(Secrets::default()).with_retry(retry);
    let agent = tsbench::gateway::AgentKind::Shell { submit: "done".into() };
    let mock = MockContext { solution: Vec::new(), seed: "s".into(), agent };
    let gateway = gateways.open(&entry(&server.uri(), dialect, more), mock).unwrap();
    let (mut ends, mut calls) = (Vec::new(), Vec::new());
    for request in requests {
        ends.push(gateway.complete(request, &mut calls).await.map_err(|e| e.class()));
    }
    (ends, calls)
}

fn chat(text: &str) -> Value {
    json!({"model": "x-2", "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
}

fn ok(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

#[tokio::test]
async fn a_conversation_that_outgrew_its_model_is_told_apart_whatever_the_provider_says() {
    for (status, body) in overflows() {
        let refused = || ResponseTemplate::new(status).set_body_json(&body);
        let (ends, calls) =
            asked("openai", "", &[request(false), request(true)], vec![ok(&chat("ls")), refused()]).await;
        assert_eq!((ends[1].as_ref().unwrap_err(), calls.len()), (&"context_overflow", 2), "{body}");
        // Before the model has said a word, only the task or the settings can be too long.
        let (ends, _) = asked("openai", "", &[request(false)], vec![refused()]).await;
        assert!(matches!(ends[0], Err("bad_request" | "server")), "{body}: {:?}", ends[0]);
    }
    // A proxy that says it in HTML, by its status.
    let page =
        ResponseTemplate::new(413).set_body_raw("<html><h1>413 Request Entity Too Large</h1></html>", "text/html");
    let (ends, _) = asked("anthropic", "", &[request(true)], vec![page]).await;
    assert_eq!(ends[0].as_ref().unwrap_err(), &"context_overflow");
}

#[tokio::test]
async fn an_overflow_within_a_stream_is_an_overflow() {
    let openai = "data: {\"choices\":[{\"delta\":{\"content\":\"I\"}}]}\n\ndata: {\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"no\"}}\n\n";
    let anthropic = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}\n\n";
    let ollama = "{\"message\":{\"content\":\"I\"},\"done\":false}\n{\"error\":\"the input length exceeds the context length\"}\n";
    for (dialect, stream) in [("openai", openai), ("anthropic", anthropic), ("ollama", ollama)] {
        let streamed = ResponseTemplate::new(200).set_body_raw(stream, "text/event-stream");
        let (ends, calls) = asked(dialect, "", &[request(true)], vec![streamed]).await;
        assert_eq!((ends[0].as_ref().unwrap_err(), calls.len()), (&"context_overflow", 1), "{dialect}");
    }
}

#[tokio::test]
async fn a_request_that_is_bad_for_another_reason_is_no_overflow() {
    for body in [
        json!({"error": {"message": "Unknown parameter: 'reasoning_effort'.", "type": "invalid_request_error", "param": "reasoning_effort", "code": "unknown_parameter"}}),
        json!({"error": {"message": "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 450 instead.", "param": "messages[2].tool_calls[0].id", "code": "string_above_max_length"}}),
        json!({"detail": [{"loc": ["body", "temperature"], "msg": "Input should be less than or equal to 2", "type": "less_than_equal"}]}),
        json!({"error": {"message": "messages: roles must alternate between \"user\" and \"assistant\"", "type": "invalid_request_error"}}),
        json!({"error": {"message": "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01", "type": "invalid_request_error"}}),
        json!({"error": {"message": "text content blocks must be non-empty", "type": "invalid_request_error"}}),
        json!({"error": {"message": "Invalid value: 'tool'. Supported values are: 'system', 'user'", "code": "invalid_value"}}),
        json!({"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}),
        json!({"error": {"message": "You exceeded your current token quota", "code": "quota_exceeded"}}),
        json!({"error": {"message": "", "code": 400}}),
        json!({}),
    ] {
        let refused = ResponseTemplate::new(400).set_body_json(&body);
        let (ends, calls) = asked("openai", "", &[request(false), request(true)], vec![ok(&chat("ls")), refused]).await;
        assert_eq!((ends[1].as_ref().unwrap_err(), calls.len()), (&"bad_request", 2), "{body}");
    }
    let limited = json!({"error": {"message": "Request too large on tokens per minute (TPM): Limit 6000, Requested 9000", "type": "tokens", "code": "rate_limit_exceeded"}});
    let (ends, _) =
        asked("openai", "", &[request(true)], vec![ResponseTemplate::new(413).set_body_json(limited)]).await;
    assert_eq!(ends[0].as_ref().unwrap_err(), &"rate_limited");
}

#[tokio::test]
async fn a_refusal_without_a_word_is_an_overflow_where_what_was_sent_fills_the_window() {
    let mut long = request(true);
    long.messages.push(Message::user("x".repeat(40_000)));
    let refused =
        || ResponseTemplate::new(400).set_body_json(json!({"error": {"message": "Bad request", "code": 400}}));
    for (window, class) in
        [("context_tokens = 8192", "context_overflow"), ("context_tokens = 200000", "bad_request"), ("", "bad_request")]
    {
        let more = format!("max_output_tokens = 512\n{window}\n");
        let (ends, _) = asked("openai", &more, &[request(false), long.clone()], vec![ok(&chat("ls")), refused()]).await;
        assert_eq!(ends[1].as_ref().unwrap_err(), &class, "{window}");
    }
    // What the provider counted before says more than letters do: a hundred tokens were the first few words.
    let mut counted = chat("ls");
    counted["usage"]["prompt_tokens"] = 7950.into();
    let (ends, _) = asked(
        "openai",
        "max_output_tokens = 512\ncontext_tokens = 8192\n",
        &[request(false), request(true)],
        vec![ok(&counted), refused()],
    )
    .await;
    assert_eq!(ends[1].as_ref().unwrap_err(), &"context_overflow");
}

#[tokio::test]
async fn bad_characters_anywhere_in_an_answer_become_one_that_stands_for_them() {
    let text = |inside: &[u8]| {
        let raw = [
            &b"{\"choices\":[{\"message\":{\"content\":\"a"[..],
            inside,
            b"\",\"reasoning_content\":\"r",
            inside,
            b"\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}",
        ]
        .concat();
        ResponseTemplate::new(200).set_body_raw(raw, "application/json")
    };
    for bad in [&b"\\ud83d"[..], b"\\udc00", b"\\u0000", b"\0", b"\xff", b"\\q"] {
        let (ends, calls) = asked("openai", "", &[request(false)], vec![text(bad)]).await;
        let reply = ends[0].as_ref().unwrap();
        assert!(reply.text.starts_with("a\u{FFFD}"), "{bad:?}: {:?}", reply.text);
        assert_eq!((calls.len(), reply.usage.unwrap().output), (1, 1), "{bad:?}");
    }
    let call = |arguments: &str| {
        let function = json!({"name": "run_command", "arguments": arguments});
        ok(
            &json!({"choices": [{"message": {"content": null, "tool_calls": [{"id": "c", "type": "function", "function": function}]}, "finish_reason": "tool_calls"}]}),
        )
    };
    let (ends, _) = asked("openai", "", &[request(false)], vec![call("{\"command\":\"echo \\ud800\"}")]).await;
    assert_eq!(ends[0].as_ref().unwrap().tool_calls[0].arguments, "{\"command\":\"echo \u{FFFD}\"}");
    let openai = "data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\n";
    let anthropic = "data: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\\udfffb\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    let ollama = "{\"message\":{\"content\":\"a\\ud83d\"},\"done\":false}\n{\"message\":{\"content\":\"b\"},\"done\":true,\"done_reason\":\"stop\"}\n";
    for (dialect, stream) in [("openai", openai), ("anthropic", anthropic), ("ollama", ollama)] {
        let streamed = ResponseTemplate::new(200).set_body_raw(stream, "text/event-stream");
        let (ends, _) = asked(dialect, "", &[request(false)], vec![streamed]).await;
        assert_eq!(ends[0].as_ref().unwrap().text, "a\u{FFFD}b", "{dialect}");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_again_in_its_place() {
    let good = serde_json::to_string(&chat("hello")).unwrap();
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n";
    for none in [
        "",
        "<html>Gateway timeout</html>",
        "{\"choices\": []}",
        "{\"id\": \"x\"}",
        &good[..good.len() / 2],
        stream,
        "null",
        "[]",
    ] {
        let answers = vec![ResponseTemplate::new(200).set_body_string(none), ok(&chat("hello"))];
        let (ends, calls) = asked("openai", "", &[request(true)], answers).await;
        assert_eq!((ends[0].as_ref().unwrap().text.as_str(), calls.len()), ("hello", 2), "{none}");
        assert_eq!((calls[0].billable, calls[0].cost_usd), (true, None), "{none}");
    }
    let paid = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 0}});
    let (_, calls) = asked("openai", "", &[request(true)], vec![ok(&paid), ok(&chat("hello"))]).await;
    assert_eq!(calls[0].usage.unwrap().input, 1000, "what the lost try cost is known, and counts");
    let (ends, calls) = asked("openai", "", &[request(true)], vec![ok(&paid)]).await;
    assert_eq!((ends[0].as_ref().unwrap_err(), calls.len()), (&"malformed", 5), "it is not asked for ever");
}

#[tokio::test]
async fn counts_that_cannot_be_counts_are_unknown_and_the_reply_is_good() {
    let limit = 1_000_000_000_001_u64;
    for (usage, known) in [
        (json!({"prompt_tokens": u64::MAX, "completion_tokens": 1}), false),
        (json!({"prompt_tokens": 1, "completion_tokens": limit}), false),
        (json!({"prompt_tokens": -1, "completion_tokens": 1}), false),
        (json!({"prompt_tokens": 1.5, "completion_tokens": 1}), false),
        (json!({"prompt_tokens": 1e300, "completion_tokens": 1}), false),
        (json!({"prompt_tokens": "12", "completion_tokens": 1}), false),
        (json!({"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": -3}}), false),
        (json!({"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 500}}), true),
        (json!({"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": null}), true),
    ] {
        let mut body = chat("hello");
        body["usage"] = usage.clone();
        let (ends, calls) = asked("openai", "", &[request(false)], vec![ok(&body)]).await;
        let reply = ends[0].as_ref().unwrap();
        assert_eq!((reply.usage.is_some(), reply.cost_usd.is_some()), (known, known), "{usage}");
        assert_eq!(calls[0].usage_refused.is_some(), !known, "{usage}");
    }
    let nan = serde_json::to_string(&chat("hello")).unwrap().replace("100", "NaN");
    let (ends, calls) =
        asked("openai", "", &[request(false)], vec![ResponseTemplate::new(200).set_body_string(nan)]).await;
    assert_eq!((ends[0].as_ref().unwrap().usage, calls.len()), (None, 1));
    for (dialect, body) in [
        (
            "anthropic",
            json!({"content": [], "stop_reason": "end_turn", "usage": {"input_tokens": u64::MAX, "output_tokens": 1}}),
        ),
        ("ollama", json!({"message": {"content": ""}, "done": true, "prompt_eval_count": -1, "eval_count": 1})),
    ] {
        let (ends, calls) = asked(dialect, "", &[request(false)], vec![ok(&body)]).await;
        assert_eq!((ends[0].as_ref().unwrap().usage, calls[0].usage_refused.is_some()), (None, true), "{dialect}");
    }
}

/// A provider whose answers depend on how many replies the conversation has; how many requests it was sent.
async fn provider(answer: fn(usize) -> ResponseTemplate) -> (MockServer, Arc<AtomicUsize>) {
    let server = MockServer::start().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let respond = move |request: &wiremock::Request| {
        counted.fetch_add(1, Ordering::Relaxed);
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        answer(messages.iter().filter(|m| m["role"] == "assistant").count())
    };
    Mock::given(wiremock::matchers::any()).respond_with(respond).mount(&server).await;
    (server, count)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_whose_model_outgrew_its_window_or_told_nonsense_is_judged_in_one_try() {
    let Some(world) = World::new() else { return };
    let outgrown = |turn: usize| match turn {
        0 => ok(&chat(FIX)),
        _ => ResponseTemplate::new(400)
            .set_body_json(json!({"error": {"code": "1261", "message": "Prompt exceeds max length"}})),
    };
    let nonsense = |turn: usize| {
        let mut body = chat(if turn == 0 { FIX } else { DONE });
        body["usage"]["prompt_tokens"] = u64::MAX.into();
        ok(&body)
    };
    for (run, answer, stop, cost) in [
        ("long", outgrown as fn(usize) -> ResponseTemplate, "context_limit", true),
        ("huge", nonsense, "submitted", false),
    ] {
        let (server, count) = provider(answer).await;
        world.write("models.toml", &format!("[[models]]\n{}", fields(&server.uri(), "openai", "")));
        tokio::task::block_in_place(|| ends_with(0, &mut world.run(run, "m/x", &["--repeats", "1", "--no-probe"])));
        let line = &world.lines(run)[0];
        assert_eq!((line.outcome, line.stop.as_deref()), (Outcome::Resolved, Some(stop)));
        assert_eq!((count.load(Ordering::Relaxed), line.retries, line.cost_usd.is_some()), (2, Some(0), cost));
        assert_eq!((line.usage.is_some(), line.served_models.as_slice()), (cost, &["x-2".to_owned()][..]));
    }
    let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_tsbench"));
    ends_with(0, check.args(["results", "check", "--results"]).arg(world.dir.path().join("results")));
}
