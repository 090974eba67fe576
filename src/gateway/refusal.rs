//! A provider's no, read from whatever shape it has: fields for programs, words for people, and a status.

use serde_json::Value;

/// Depth to which an error is looked through; errors hold errors of others as text.
const DEEPEST: usize = 8;
/// Texts of an error that are read.
const MOST_TEXTS: usize = 64;

/// An answer that is no reply.
#[derive(Debug, Default)]
pub(super) struct Refusal {
    /// The status of the answer, or the one that its body states.
    pub(super) status: u16,
    /// Words of fields for programs: codes, types, reasons.
    pub(super) codes: Vec<String>,
    /// Names of fields of the request that the error is about.
    fields: Vec<String>,
    /// Everything that it says, joined.
    pub(super) text: String,
    /// It is JSON, and no page.
    pub(super) is_structured: bool,
}

/// Fields of an error whose value is a word for programs.
const CODES: [&str; 10] =
    ["code", "type", "status", "reason", "error_type", "error_code", "__type", "kind", "errorcode", "name"];
/// Fields of an error that name a field of the request.
const FIELDS: [&str; 3] = ["param", "loc", "field"];
/// Fields of the request that hold the conversation, or the room for its reply.
const CONVERSATION: [&str; 11] = [
    "messages",
    "input",
    "inputs",
    "prompt",
    "contents",
    "content",
    "text",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "max_new_tokens",
];

impl Refusal {
    /// Reads an answer; `text` is the body where it is no JSON.
    pub(super) fn read(status: u16, body: Option<&Value>, text: &str) -> Refusal {
        let mut refusal = Refusal { status, ..Refusal::default() };
        match body {
            Some(body) => {
                refusal.is_structured = true;
                refusal.collect("", body, 0);
            }
            None => text.clone_into(&mut refusal.text),
        }
        refusal
    }

    fn collect(&mut self, name: &str, value: &Value, depth: usize) {
        if depth > DEEPEST || self.codes.len() + self.fields.len() > MOST_TEXTS || self.text.len() > 16_384 {
            return;
        }
        let lower = name.to_ascii_lowercase();
        match value {
            Value::Object(map) => map.iter().for_each(|(name, value)| self.collect(name, value, depth + 1)),
            Value::Array(list) => list.iter().for_each(|value| self.collect(name, value, depth + 1)),
            Value::String(text) => {
                // What another provider said stands as text in what this one says.
                let at = text.find(['{', '[']).unwrap_or(text.len());
                let inner = serde_json::from_str::<Value>(text[at..].trim()).ok();
                let holds_fields = |list: &Vec<Value>| list.iter().any(Value::is_object);
                if let Some(inner) = inner.filter(|v| v.is_object() || v.as_array().is_some_and(holds_fields)) {
                    self.say(text[..at].trim());
                    return self.collect(name, &inner, depth + 1);
                }
                if CODES.contains(&lower.as_str()) {
                    self.codes.push(text.clone());
                } else if FIELDS.contains(&lower.as_str()) {
                    // A place begins with where the fields are.
                    self.fields.extend(Some(text.to_ascii_lowercase()).filter(|field| field != "body"));
                    return;
                }
                self.say(text);
            }
            // Sizes stand in fields of their own at some servers.
            Value::Number(number) if lower.contains("token") || lower.contains("ctx") || lower.contains("limit") => {
                self.say(&format!("{lower} {number}"));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str("; ");
        }
        self.text.push_str(text);
    }

    /// It is about how much may be asked in a time, or paid.
    pub(super) fn is_of_a_rate(&self) -> bool {
        let text = self.text.to_ascii_lowercase();
        [
            "rate limit",
            "rate_limit",
            "per minute",
            "per day",
            "per second",
            "(tpm)",
            "(rpm)",
            "quota",
            "credit",
            "billing",
        ]
        .iter()
        .any(|word| text.contains(word))
    }

    /// It names a field of the request, and none that holds the conversation.
    pub(super) fn names_another_field(&self) -> bool {
        let of_conversation = |field: &String| {
            let last = field.rsplit(['.', '[', ']', '/']).find(|part| !part.is_empty() && part.parse::<u64>().is_err());
            last.is_some_and(|part| CONVERSATION.contains(&part))
        };
        !self.fields.is_empty() && !self.fields.iter().any(of_conversation)
    }
}
