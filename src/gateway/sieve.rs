//! The parts of a request, each held against a list of fields.

use serde_json::{Map, Value, json};

/// Places that are named; a request of a thousand bad parts is not told a thousand times.
const MOST_PLACES: usize = 40;

/// Fields of a message, of a part of its content, of a call and of a tool.
const MESSAGE: [&str; 14] = [
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "prefix",
    "images",
    "tool_name",
    "thinking",
];
const CALL: [&str; 6] = ["id", "type", "index", "function", "custom", "extra_content"];
const TOOL: [&str; 8] =
    ["type", "function", "custom", "name", "description", "input_schema", "cache_control", "strict"];
const FUNCTION: [&str; 4] = ["name", "description", "parameters", "strict"];

/// Takes out what is on no list, and remembers where.
#[derive(Default)]
pub(super) struct Sieve {
    pub(super) left_out: Vec<String>,
}

impl Sieve {
    fn note(&mut self, place: &str) {
        let place: String = place.chars().filter(|c| !c.is_control()).take(120).collect();
        if self.left_out.len() < MOST_PLACES && !self.left_out.contains(&place) {
            self.left_out.push(place);
        }
    }

    /// The fields that are on a list; `ours` are set by us in any case.
    pub(super) fn fields(
        &mut self,
        place: &str,
        map: Map<String, Value>,
        list: &[&str],
        ours: &[&str],
    ) -> Map<String, Value> {
        let mut kept = Map::new();
        for (name, value) in map {
            if list.contains(&name.as_str()) {
                kept.insert(name, value);
            } else if !ours.contains(&name.as_str()) {
                self.note(&if place.is_empty() { name } else { format!("{place}.{name}") });
            }
        }
        kept
    }

    /// Keeps those fields of an object that are on a list.
    pub(super) fn keep(&mut self, place: &str, value: &mut Value, list: &[&str]) {
        if let Value::Object(map) = value {
            *map = self.fields(place, std::mem::take(map), list, &[]);
        }
    }

    pub(super) fn messages(&mut self, place: &str, messages: &mut [Value]) {
        for (i, message) in messages.iter_mut().enumerate() {
            let place = format!("{place}[{i}]");
            self.keep(&place, message, &MESSAGE);
            if let Some(Value::Array(parts)) = message.get_mut("content") {
                self.parts(&format!("{place}.content"), parts);
            }
            if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
                calls.iter_mut().for_each(|call| self.keep(&format!("{place}.tool_calls"), call, &CALL));
            }
            if let Some(Value::Array(images)) = message.get_mut("images") {
                // A server of its own takes bytes as base64, in which no address can be written.
                images.retain(|image| image.as_str().is_some_and(|text| !text.contains(':')));
            }
        }
    }

    /// Parts of a content: what the provider would have to fetch, run or remember is replaced by a remark.
    pub(super) fn parts(&mut self, place: &str, parts: &mut [Value]) {
        for part in parts {
            if part.is_string() {
                continue;
            }
            let word = part.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
            let fields: &[&str] = match word.as_str() {
                "text" | "input_text" | "output_text" => &["type", "text", "cache_control"],
                "refusal" => &["type", "refusal"],
                "thinking" => &["type", "thinking", "signature"],
                "redacted_thinking" => &["type", "data"],
                "tool_use" => &["type", "id", "name", "input", "cache_control"],
                "tool_result" => &["type", "tool_use_id", "content", "is_error", "cache_control"],
                "image" | "document" if brings_its_data(part.get("source")) => {
                    &["type", "source", "title", "context", "cache_control"]
                }
                "image_url" if is_data(part.pointer("/image_url/url").or_else(|| part.get("image_url"))) => {
                    &["type", "image_url", "cache_control"]
                }
                "input_audio" => &["type", "input_audio"],
                _ => &[],
            };
            if fields.is_empty() {
                self.note(&format!("{place}: a part of the kind {word:?}"));
                *part = json!({"type": "text", "text": format!("(a part of the kind {word:?} was left out)")});
                continue;
            }
            self.keep(place, part, fields);
            plain_cache(part);
            if let Some(Value::Array(inner)) = part.get_mut("content") {
                self.parts(&format!("{place}.content"), inner);
            }
        }
    }

    /// Tools that the program itself runs; those of the provider reach its networks and machines.
    pub(super) fn tools(&mut self, body: &mut Map<String, Value>) {
        for name in ["tools", "functions"] {
            let Some(list) = body.get_mut(name) else { continue };
            let Value::Array(tools) = list else {
                self.note(name);
                body.remove(name);
                continue;
            };
            let own = |tool: &Value| match tool.get("type").map(Value::as_str) {
                None => tool.get("name").is_some() || tool.get("function").is_some(),
                Some(word) => matches!(word, Some("function" | "custom")),
            };
            let before = tools.len();
            tools.retain(own);
            let lost = before - tools.len();
            for tool in tools.iter_mut() {
                let list: &[&str] = if name == "functions" { &FUNCTION } else { &TOOL };
                self.keep(name, tool, list);
                plain_cache(tool);
                if let Some(function) = tool.get_mut("function") {
                    self.keep(&format!("{name}.function"), function, &FUNCTION);
                }
            }
            if lost > 0 {
                self.note(&format!("{name}: {lost} of the provider's own"));
            }
            if tools.is_empty() {
                body.remove(name);
            }
        }
        let has_tools = body.contains_key("tools");
        if body.get("tool_choice").is_some_and(|choice| !has_tools || !is_choice(choice)) {
            self.note("tool_choice");
            body.remove("tool_choice");
        }
        if !has_tools {
            body.remove("parallel_tool_calls");
        }
    }
}

/// Whether a choice of tools names one of the program's, or none of them.
fn is_choice(choice: &Value) -> bool {
    match choice {
        Value::String(word) => matches!(word.as_str(), "auto" | "none" | "required" | "any"),
        Value::Object(map) => {
            let word = map.get("type").and_then(Value::as_str);
            let known = ["type", "function", "custom", "name", "disable_parallel_tool_use"];
            matches!(word, Some("function" | "custom" | "tool" | "auto" | "any" | "none"))
                && map.keys().all(|key| known.contains(&key.as_str()))
        }
        _ => false,
    }
}

/// A cache is the short-lived one, whose price the entry knows.
fn plain_cache(value: &mut Value) {
    if let Some(cache) = value.get_mut("cache_control") {
        *cache = json!({"type": "ephemeral"});
    }
}

/// A source that holds its bytes or its text itself.
fn brings_its_data(source: Option<&Value>) -> bool {
    let Some(Value::Object(source)) = source else { return false };
    let held = matches!(source.get("type").and_then(Value::as_str), Some("base64" | "text"));
    held && source.get("data").is_some_and(Value::is_string)
        && source.keys().all(|key| ["type", "media_type", "data"].contains(&key.as_str()))
}

/// An address that is the data itself, which nobody has to fetch.
fn is_data(url: Option<&Value>) -> bool {
    url.and_then(Value::as_str).is_some_and(|url| url.trim_start().to_ascii_lowercase().starts_with("data:"))
}
