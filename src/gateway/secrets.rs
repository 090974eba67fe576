//! Keys: read once, shown never.

use std::collections::BTreeMap;
use std::fmt;

/// Stands where a secret was.
const REDACTED: &str = "[redacted]";

/// Values shorter than this are words that texts have anyway.
const SHORTEST: usize = 8;

/// Names of variables that hold secrets, whoever set them.
const TELLING: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// The secrets of the environment and of `.env`. Neither `Debug` nor any error shows a value.
#[derive(Clone, Default)]
pub struct Secrets {
    values: BTreeMap<String, String>,
    /// Every way in which a value may be written, the longest first.
    needles: Vec<String>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.values.keys().map(|name| (name, REDACTED))).finish()
    }
}

impl Secrets {
    /// The secrets among variables of the environment, all of a `.env` file, and those that `named` asks for. The
    /// environment wins over the file.
    pub fn gather<'a>(
        environment: impl IntoIterator<Item = (String, String)>,
        dotenv: Option<&str>,
        named: impl IntoIterator<Item = &'a str>,
    ) -> Secrets {
        let named: Vec<&str> = named.into_iter().collect();
        let telling = |name: &str| TELLING.iter().any(|word| name.to_ascii_uppercase().contains(word));
        let mut values: BTreeMap<String, String> = dotenv.map(variables).unwrap_or_default();
        for (name, value) in environment {
            if !value.trim().is_empty()
                && (telling(&name) || named.contains(&name.as_str()) || values.contains_key(&name))
            {
                // A value of the file that the environment overrides is a secret still.
                if let Some(other) = values.insert(name.clone(), value) {
                    values.insert(format!("{name} of .env"), other);
                }
            }
        }
        let mut needles: Vec<String> = values.values().flat_map(|value| spellings(value)).collect();
        needles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        needles.dedup();
        Secrets { values, needles }
    }

    /// The value of a variable, without white space around it.
    pub fn key(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The text with every known secret, and everything that looks like a key, replaced by `[redacted]`.
    pub fn redact(&self, text: &str) -> String {
        without_look_alikes(&self.without_known(text))
    }

    /// The text with every known secret replaced; what only looks like a key stays.
    pub(super) fn without_known(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for needle in self.needles.iter().filter(|needle| text.contains(needle.as_str())) {
            out = out.replace(needle.as_str(), REDACTED);
        }
        out
    }

    /// As [`Secrets::redact`], for a text that may have been cut off in the middle of a secret.
    pub(super) fn redact_cut(&self, text: &str) -> String {
        let mut out = self.redact(text);
        let begun = |needle: &String| {
            (SHORTEST..needle.len()).rev().find(|n| needle.get(..*n).is_some_and(|p| out.ends_with(p)))
        };
        if let Some(length) = self.needles.iter().filter_map(begun).max() {
            out.truncate(out.len() - length);
            out.push_str(REDACTED);
        }
        out
    }

    /// As [`Secrets::redact`], for every text and every name within a value.
    pub fn redact_json(&self, value: serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(list) => Value::Array(list.into_iter().map(|v| self.redact_json(v)).collect()),
            Value::Object(map) => {
                Value::Object(map.into_iter().map(|(k, v)| (self.redact(&k), self.redact_json(v))).collect())
            }
            other => other,
        }
    }
}

/// A value, and as JSON and percent-encoding write it.
fn spellings(value: &str) -> Vec<String> {
    let value = value.trim();
    if value.len() < SHORTEST {
        return Vec::new();
    }
    let json = serde_json::Value::from(value).to_string();
    let percent: String = value
        .bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() || b"-._~".contains(&b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect();
    // A value of many lines also appears line by line.
    let lines = value.lines().map(str::trim).filter(|line| line.len() >= 16).map(str::to_owned);
    [value.to_owned(), json.trim_matches('"').to_owned(), percent].into_iter().chain(lines).collect()
}

/// `NAME=value` lines; `export`, comments and quotes are understood, nothing is substituted.
fn variables(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else { continue };
        let value = value.trim();
        let quoted =
            ['"', '\''].into_iter().find_map(|q| value.strip_prefix(q)?.split_once(q)).map(|(inside, _)| inside);
        let value = quoted.unwrap_or_else(|| value.split(" #").next().unwrap_or(value).trim_end());
        if !name.trim().is_empty() && !value.is_empty() {
            found.insert(name.trim().to_owned(), value.to_owned());
        }
    }
    found
}

/// Replaces `sk-…` and what follows `Bearer`, `Authorization:` and `x-api-key:`, where it looks like a key.
fn without_look_alikes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(at) = next_key(text, from) {
        let (start, end) = at;
        out.push_str(&text[from..start]);
        out.push_str(REDACTED);
        from = end;
    }
    out.push_str(&text[from..]);
    out
}

/// Where the next text that looks like a key begins and ends, at or after `from`.
fn next_key(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || b"-_.+/=~".contains(&b);
    let mut at = from;
    while at < bytes.len() {
        let fresh = at == 0 || !part(bytes[at - 1]);
        if !fresh || !part(bytes[at]) {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|b| !part(*b)).map_or(bytes.len(), |n| at + n);
        let word = &text[at..end];
        let mixed = word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_alphabetic());
        if word.len() >= 20 && mixed && (word.starts_with("sk-") || introduced(&text[..at])) {
            return Some((at, end));
        }
        at = end;
    }
    None
}

/// True where what was said before announces a key.
fn introduced(before: &str) -> bool {
    let tail = before.trim_end_matches([' ', '"', '\'', ':', '=', '\\', '\t']);
    let start = tail.len().saturating_sub(20);
    let last: String = tail.bytes().skip(start).map(|b| char::from(b.to_ascii_lowercase())).collect();
    ["bearer", "authorization", "x-api-key", "api-key", "api_key", "apikey"].iter().any(|word| last.ends_with(word))
}
