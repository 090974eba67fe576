//! Streamed answers folded into the answer that the same provider gives in one piece.

use super::Dialect;
use serde_json::{Map, Value, json};

/// The whole answer of a stream, or the error that it ended with; none where the text is no stream of the dialect, or it
/// was cut off.
pub(super) fn folded(dialect: Dialect, text: &str) -> Option<Value> {
    match dialect {
        Dialect::Openai => {
            let events = events(text);
            failed(&events).or_else(|| openai(&events))
        }
        Dialect::Anthropic => {
            let events = events(text);
            failed(&events).or_else(|| anthropic(&events))
        }
        Dialect::Ollama => {
            let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            failed(&lines).or_else(|| ollama(&lines))
        }
        Dialect::Mock | Dialect::Replay => None,
    }
}

/// The event with which a provider broke a stream off.
fn failed(events: &[Value]) -> Option<Value> {
    events.iter().find(|event| event.get("error").is_some_and(|error| !error.is_null())).cloned()
}

/// The JSON of each event, and none for one that is not JSON.
fn events(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

fn add(text: &mut String, value: Option<&Value>) {
    text.push_str(value.and_then(Value::as_str).unwrap_or(""));
}

/// Chunks of chat completions: texts and arguments come in pieces, usage in the last chunk if it was asked for.
fn openai(events: &[Value]) -> Option<Value> {
    let (mut text, mut refusal, mut calls) = (String::new(), String::new(), Vec::<Value>::new());
    let (mut finish, mut usage, mut model) = (Value::Null, Value::Null, Value::Null);
    for event in events {
        if let Some(found) = event.get("model").filter(|m| m.is_string()) {
            model = found.clone();
        }
        if let Some(found) = event.get("usage").filter(|u| u.is_object()) {
            usage = found.clone();
        }
        let Some(choice) = event.pointer("/choices/0") else { continue };
        add(&mut text, choice.pointer("/delta/content"));
        add(&mut refusal, choice.pointer("/delta/refusal"));
        if let Some(reason) = choice.get("finish_reason").filter(|r| r.is_string()) {
            finish = reason.clone();
        }
        for piece in choice.pointer("/delta/tool_calls").and_then(Value::as_array).into_iter().flatten() {
            join_call(&mut calls, piece);
        }
    }
    finish.as_str()?;
    let mut message = json!({"role": "assistant", "content": text});
    if !refusal.is_empty() {
        message["refusal"] = refusal.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish});
    Some(json!({"choices": [choice], "usage": usage, "model": model}))
}

/// Calls in a reply beyond which no real one goes: a number from a provider makes no list that long.
const MOST_CALLS: usize = 256;

fn join_call(calls: &mut Vec<Value>, piece: &Value) {
    let index = piece.get("index").and_then(Value::as_u64).and_then(|i| usize::try_from(i).ok()).unwrap_or(calls.len());
    if index >= MOST_CALLS {
        return;
    }
    while calls.len() <= index {
        calls.push(json!({"type": "function", "function": {"name": "", "arguments": ""}}));
    }
    let call = &mut calls[index];
    if let Some(id) = piece.get("id").filter(|id| id.is_string()) {
        call["id"] = id.clone();
    }
    for part in ["name", "arguments"] {
        let more = piece.get("function").and_then(|f| f.get(part)).and_then(Value::as_str).unwrap_or("");
        let so_far = call["function"][part].as_str().unwrap_or("").to_owned();
        call["function"][part] = (so_far + more).into();
    }
}

/// Events of messages: a start with the tokens read, blocks in pieces, an end with the tokens written.
fn anthropic(events: &[Value]) -> Option<Value> {
    let mut answer = Value::Null;
    let mut pieces: Vec<String> = Vec::new();
    let mut ended = false;
    for event in events {
        let index = event.get("index").and_then(Value::as_u64).and_then(|i| usize::try_from(i).ok());
        match event.get("type").and_then(Value::as_str)? {
            "message_start" => answer = event.get("message")?.clone(),
            "content_block_start" => {
                answer.get_mut("content")?.as_array_mut()?.push(event.get("content_block")?.clone());
                pieces.push(String::new());
            }
            "content_block_delta" => {
                let (block, piece) = (answer.get_mut("content")?.get_mut(index?)?, pieces.get_mut(index?)?);
                let delta = event.get("delta")?;
                match delta.get("type").and_then(Value::as_str)? {
                    "text_delta" => {
                        add(piece, delta.get("text"));
                        block["text"] = piece.as_str().into();
                    }
                    "input_json_delta" => {
                        add(piece, delta.get("partial_json"));
                        // What is no object is the model's mistake, of which it is told.
                        block["input"] = match piece.trim() {
                            "" => json!({}),
                            whole => serde_json::from_str(whole).unwrap_or_else(|_| whole.into()),
                        };
                    }
                    // Thinking stays in the record of the stream.
                    _ => {}
                }
            }
            "message_delta" => {
                merge(&mut answer, event.get("delta"));
                if let Some(usage) = answer.get_mut("usage") {
                    merge(usage, event.get("usage"));
                }
            }
            "message_stop" => ended = true,
            _ => {}
        }
    }
    ended.then_some(answer)
}

fn merge(into: &mut Value, from: Option<&Value>) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.and_then(Value::as_object)) {
        into.extend(from.clone());
    }
}

/// One object a line: texts in pieces, and the counts in the last.
fn ollama(lines: &[Value]) -> Option<Value> {
    let mut answer = lines.last()?.clone();
    let (mut content, mut calls) = (String::new(), Vec::new());
    for line in lines {
        add(&mut content, line.pointer("/message/content"));
        calls.extend(line.pointer("/message/tool_calls").and_then(Value::as_array).into_iter().flatten().cloned());
    }
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into()), ("content".to_owned(), content.into())]);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    answer.as_object_mut()?.insert("message".to_owned(), message.into());
    (answer.get("done").and_then(Value::as_bool) == Some(true)).then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::speech::speech;

    fn said(dialect: Dialect, stream: &str) -> (String, usize, Option<(u64, u64)>) {
        let answer = folded(dialect, stream).unwrap();
        let speech = speech(dialect).unwrap();
        let said = (speech.said)(&answer).unwrap();
        (said.text, said.tool_calls.len(), (speech.usage)(&answer).unwrap().map(|u| (u.input, u.output)))
    }

    #[test]
    fn a_stream_of_chat_completions_is_the_answer_in_one_piece() {
        let stream = concat!(
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"Hel\"},\"finish_reason\":null}]}\n\n",
            ": a comment\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"run\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n",
            "data: [DONE]\n\n"
        );
        assert_eq!(said(Dialect::Openai, stream), ("Hello".into(), 1, Some((7, 3))));
        let answer = folded(Dialect::Openai, stream).unwrap();
        assert_eq!(answer.pointer("/choices/0/message/tool_calls/0/function/arguments").unwrap(), "{\"a\":1}");
        let cut = &stream[..stream.find("tool_calls\"}]").unwrap()];
        assert_eq!(folded(Dialect::Openai, cut), None, "a stream that was cut off is no answer");
    }

    #[test]
    fn a_stream_of_messages_is_the_answer_in_one_piece() {
        let stream = concat!(
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[],\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":2,\"output_tokens\":1}}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "data: {\"type\":\"ping\"}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"run\",\"input\":{}}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\n",
            "data: {\"type\":\"message_stop\"}\n\n"
        );
        assert_eq!(said(Dialect::Anthropic, stream), ("Hi".into(), 1, Some((5, 9))));
        let answer = folded(Dialect::Anthropic, stream).unwrap();
        assert_eq!(answer.pointer("/content/1/input/a").unwrap(), 1);
        assert_eq!(answer.pointer("/usage/cache_read_input_tokens").unwrap(), 2);
        assert_eq!(folded(Dialect::Anthropic, &stream[..stream.len() - 30]), None);
    }

    #[test]
    fn a_stream_of_lines_is_the_answer_in_one_piece() {
        let stream = concat!(
            "{\"message\":{\"role\":\"assistant\",\"content\":\"Hi \"},\"done\":false}\n",
            "{\"message\":{\"role\":\"assistant\",\"content\":\"you\"},\"done\":false}\n",
            "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":4,\"eval_count\":2}\n"
        );
        assert_eq!(said(Dialect::Ollama, stream), ("Hi you".into(), 0, Some((4, 2))));
        assert_eq!(folded(Dialect::Ollama, "{\"message\":{\"content\":\"Hi\"},\"done\":false}\n"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_stream_makes_it_panic(text in "(data: |\\{|\\}|\\[|\\]|\"type\"|:|,|\"content_block_delta\"|\"index\"|[0-9]|\n){0,60}") {
            for dialect in [Dialect::Openai, Dialect::Anthropic, Dialect::Ollama] {
                let _ = folded(dialect, &text);
            }
        }
    }
}
