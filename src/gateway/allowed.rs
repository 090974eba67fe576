//! What of a program's request reaches the provider: a list of fields for each dialect, and nothing else.
//!
//! A request may say what the model reads and how it is to write. It may not choose another model, a dearer service, more
//! thought than the run's entry has, tools or data of the provider, a network, or a memory: that would be another
//! contestant, and a way out of the sandbox.

use super::sieve::Sieve;
use super::speech::model;
use super::{Dialect, ModelEntry};
use serde_json::{Map, Value, json};

/// A request as it is passed on.
#[derive(Debug, PartialEq)]
pub(super) struct Allowed {
    /// The body.
    pub(super) body: Value,
    /// Where something of the program's own was left out.
    pub(super) left_out: Vec<String>,
}

const OPENAI: [&str; 22] = [
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "response_format",
    "stop",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "max_tokens",
    "max_completion_tokens",
];
const ANTHROPIC: [&str; 10] = [
    "messages",
    "system",
    "max_tokens",
    "stop_sequences",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "tools",
    "tool_choice",
];
const OLLAMA: [&str; 5] = ["messages", "tools", "format", "stream", "options"];
const OLLAMA_OPTIONS: [&str; 14] = [
    "num_predict",
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "seed",
    "stop",
    "repeat_last_n",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "penalize_newline",
    "tfs_z",
];

/// What may pass of a request, for the plan's model, with at most so many tokens of reply.
pub(super) fn allowed(asked: Map<String, Value>, entry: &ModelEntry, most_output: u64) -> Allowed {
    let fields: &[&str] = match entry.dialect {
        Dialect::Openai | Dialect::Mock | Dialect::Replay => &OPENAI,
        Dialect::Anthropic => &ANTHROPIC,
        Dialect::Ollama => &OLLAMA,
    };
    let mut sieve = Sieve::default();
    let mut body = sieve.fields("", asked, fields, &["model", "n", "stream_options"]);
    if let Some(Value::Array(messages)) = body.get_mut("messages") {
        sieve.messages("messages", messages);
    }
    if let Some(Value::Array(blocks)) = body.get_mut("system") {
        sieve.parts("system", blocks);
    }
    sieve.tools(&mut body);
    let mut body = Value::Object(body);
    shape(&mut body, entry, most_output, &mut sieve);
    Allowed { body, left_out: sieve.left_out }
}

/// Makes a body ask the plan's model, as the entry says, for no more than may be paid for.
fn shape(body: &mut Value, entry: &ModelEntry, most_output: u64, sieve: &mut Sieve) {
    body["model"] = model(entry).into();
    let bound = |value: &Value| value.as_u64().filter(|n| *n > 0).map_or(most_output, |n| n.min(most_output));
    match entry.dialect {
        Dialect::Ollama => {
            let mut options = body.get_mut("options").map(Value::take).unwrap_or_default();
            if !options.is_object() {
                options = json!({});
            }
            sieve.keep("options", &mut options, &OLLAMA_OPTIONS);
            options["num_predict"] = bound(&options["num_predict"]).into();
            if let Some(context) = entry.context_tokens {
                options["num_ctx"] = context.into();
            }
            body["options"] = options;
            // As for every agent: a conversation that is too long must not lose its beginning in silence.
            body["truncate"] = false.into();
            body["shift"] = false.into();
            match entry.reasoning_effort.as_deref() {
                None => {}
                Some("none" | "false") => body["think"] = false.into(),
                Some("true") => body["think"] = true.into(),
                Some(effort) => body["think"] = effort.into(),
            }
        }
        Dialect::Openai => {
            let own = entry.max_tokens_option.as_deref().unwrap_or("max_tokens");
            let names = ["max_tokens", "max_completion_tokens"].into_iter().filter(|n| !body[*n].is_null());
            let names: Vec<&str> = names.collect();
            for name in if names.is_empty() { vec![own] } else { names } {
                body[name] = bound(&body[name]).into();
            }
            if body["stream"] == true {
                body["stream_options"] = json!({"include_usage": true});
            }
            if let Some(effort) = &entry.reasoning_effort {
                body["reasoning_effort"] = effort.as_str().into();
            }
        }
        Dialect::Anthropic | Dialect::Mock | Dialect::Replay => {
            body["max_tokens"] = bound(&body["max_tokens"]).into();
            if let Some(effort) = &entry.reasoning_effort {
                body["output_config"] = json!({"effort": effort});
            }
        }
    }
    if let (Some(tier), Dialect::Openai | Dialect::Anthropic) = (&entry.service_tier, entry.dialect) {
        body["service_tier"] = tier.as_str().into();
    }
    if let Value::Object(map) = body {
        map.retain(|_, value| !value.is_null());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(dialect: &str, more: &str) -> ModelEntry {
        let text = format!(
            "id='m'\nname='M'\nmaker='A'\ntier='paid'\ndialect='{dialect}'\nmodel='real'\nbase_url='http://127.0.0.1:1'\n{more}"
        );
        toml::from_str(&text).unwrap()
    }

    fn passed(dialect: &str, more: &str, body: Value) -> Allowed {
        let Value::Object(map) = body else { panic!("a body is an object") };
        allowed(map, &entry(dialect, more), 100)
    }

    #[test]
    fn a_request_asks_the_plans_model_for_no_more_than_may_be_paid() {
        let shaped = |dialect: &str, body: Value| passed(dialect, "", body).body;
        let body = shaped("openai", json!({"model": "dearer", "max_completion_tokens": 5000, "n": 8, "stream": true}));
        assert_eq!(
            body,
            json!({"model": "real", "max_completion_tokens": 100, "stream": true, "stream_options": {"include_usage": true}})
        );
        assert_eq!(shaped("openai", json!({}))["max_tokens"], 100);
        for wrong in [json!(-1), json!(0), json!(1e9), json!("9"), json!([1])] {
            assert_eq!(shaped("openai", json!({"max_tokens": wrong}))["max_tokens"], 100);
        }
        assert_eq!(shaped("anthropic", json!({"max_tokens": 7}))["max_tokens"], 7);
        assert_eq!(shaped("ollama", json!({"options": 3}))["options"]["num_predict"], 100);
    }

    #[test]
    fn what_picks_another_model_service_or_effort_is_the_entrys_or_nothing() {
        let asked = json!({"messages": [], "models": ["dear"], "route": "fallback", "provider": {"order": ["x"]},
            "service_tier": "priority", "priority": 1, "speed": "fast", "reasoning_effort": "high",
            "reasoning": {"effort": "high"}, "thinking": {"type": "enabled", "budget_tokens": 90000},
            "output_config": {"effort": "max"}, "store": true, "metadata": {"a": "b"}, "previous_response_id": "r",
            "background": true, "extra_body": {"models": ["dear"]}, "inference_geo": "us", "prediction": {}});
        for dialect in ["openai", "anthropic", "ollama"] {
            let kept = passed(dialect, "", asked.clone());
            for (name, _) in kept.body.as_object().unwrap() {
                let ours = ["model", "messages", "max_tokens", "options", "truncate", "shift"];
                assert!(ours.contains(&name.as_str()), "{dialect} {name}");
            }
            for name in asked.as_object().unwrap().keys().filter(|name| *name != "messages") {
                assert!(kept.left_out.contains(name), "{dialect} {name}");
            }
        }
        let own = "reasoning_effort='low'\nservice_tier='flex'\n";
        let kept = passed("openai", own, asked.clone()).body;
        assert_eq!((&kept["reasoning_effort"], &kept["service_tier"]), (&json!("low"), &json!("flex")));
        let kept = passed("anthropic", own, asked).body;
        assert_eq!((&kept["output_config"], &kept["service_tier"]), (&json!({"effort": "low"}), &json!("flex")));
    }

    #[test]
    fn tools_of_the_provider_stay_out_and_those_of_the_program_stay() {
        let own =
            json!({"type": "function", "function": {"name": "run", "parameters": {"type": "object"}, "server": "x"}});
        let tools = json!([own, {"type": "web_search"}, {"type": "code_interpreter", "container": {}},
            {"type": "mcp", "server_url": "https://x"}, {"googleSearch": {}}, {"type": ["function"]}]);
        let kept = passed("openai", "", json!({"messages": [], "tools": tools, "tool_choice": "auto"}));
        assert_eq!(
            kept.body["tools"],
            json!([{"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}])
        );
        assert_eq!(kept.body["tool_choice"], "auto");
        let only =
            passed("openai", "", json!({"messages": [], "tools": [{"type": "web_search"}], "tool_choice": "auto"}));
        assert_eq!((only.body.get("tools"), only.body.get("tool_choice")), (None, None));
        let asked = json!({"messages": [], "mcp_servers": [], "container": "c", "tools": [
            {"name": "run", "input_schema": {}, "allowed_callers": ["code_execution"], "cache_control": {"ttl": "1h"}},
            {"type": "web_fetch_20250910", "name": "web_fetch"}, {"type": "computer_20250124", "name": "computer"}],
            "tool_choice": {"type": "tool", "name": "run"}});
        let kept = passed("anthropic", "", asked);
        assert_eq!(
            kept.body["tools"],
            json!([{"name": "run", "input_schema": {}, "cache_control": {"type": "ephemeral"}}])
        );
        assert_eq!(kept.body["tool_choice"], json!({"type": "tool", "name": "run"}));
        assert_eq!(
            kept.left_out,
            ["container", "mcp_servers", "tools.allowed_callers", "tools: 2 of the provider's own"]
        );
    }

    #[test]
    fn nothing_in_a_message_makes_the_provider_fetch_or_remember_anything() {
        let remote = [
            json!({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
            json!({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
            json!({"type": "document", "source": {"type": "file", "file_id": "f"}}),
            json!({"type": "file", "file": {"file_id": "f"}}),
            json!({"type": "container_upload", "file_id": "f"}),
            json!({"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AA=="}}),
            json!({"url": "https://example.org"}),
        ];
        let local = [
            json!({"type": "text", "text": "see https://example.org"}),
            json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}),
        ];
        for dialect in ["openai", "anthropic"] {
            for part in &remote {
                for content in [json!([part]), json!([{"type": "tool_result", "tool_use_id": "t", "content": [part]}])]
                {
                    let kept = passed(dialect, "", json!({"messages": [{"role": "user", "content": content}]})).body;
                    let text = kept.to_string();
                    assert!(!text.contains("example.org") && !text.contains("file_id"), "{text}");
                    assert!(text.contains("was left out"), "{text}");
                }
            }
            for part in &local {
                let message = json!({"role": "user", "content": [part], "audio": {"id": "a"}});
                let kept = passed(dialect, "", json!({"messages": [message]}));
                assert_eq!(kept.body["messages"], json!([{"role": "user", "content": [part]}]));
                assert_eq!(kept.left_out, ["messages[0].audio"]);
            }
        }
    }
}
