//! Whether a refused request was a conversation that has outgrown its model: one rule for every provider.
//!
//! A provider refuses for many reasons in words of its own. What tells this one apart is the state of things: the model
//! has answered in this conversation, which has only grown since; the status refuses the request itself; and the
//! provider's fields for programs, its numbers, or what was sent against the model's window speak of size. Words alone
//! are the last resort, and then two kinds of them must meet: what is measured, and that it is too much.

use super::refusal::Refusal;

/// What is known of a request that was refused.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// The model has spoken before in this conversation.
    pub(super) answered: bool,
    /// Bytes of the body.
    pub(super) bytes: u64,
    /// Most tokens of the reply that was asked for.
    pub(super) most_output: u64,
    /// Tokens of conversation and reply together, where `models.toml` knows them.
    pub(super) window: Option<u64>,
    /// The longest body that was accepted from this attempt.
    pub(super) accepted: Option<Accepted>,
}

/// A request that was accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Accepted {
    /// Bytes of the body.
    pub(super) bytes: u64,
    /// Tokens that were read, where the provider told them.
    pub(super) tokens: Option<u64>,
}

/// Bytes that a token stands for, where nothing was measured: what English and code have.
const BYTES: u64 = 4;

impl Evidence {
    /// Tokens of what was sent: measured as far as it was accepted before, and estimated beyond.
    fn tokens(&self) -> u64 {
        match self.accepted {
            Some(Accepted { bytes, tokens: Some(tokens) }) => tokens + self.bytes.saturating_sub(bytes) / BYTES,
            _ => self.bytes / BYTES,
        }
    }

    /// What was sent and the reply that was asked for do not fit the window.
    fn fills_the_window(&self) -> bool {
        self.window.is_some_and(|window| self.tokens().saturating_add(self.most_output) >= window)
    }

    /// The conversation is longer than any that was accepted.
    fn has_grown(&self) -> bool {
        self.accepted.is_none_or(|accepted| self.bytes > accepted.bytes)
    }
}

/// Whether what was sent is more than the model takes.
pub(super) fn outgrown(refusal: &Refusal, sent: &Evidence) -> bool {
    // A page of a proxy says nothing about the conversation, but for the one status that is about size.
    if !refuses_the_request(refusal.status) || refusal.status >= 500 && !refusal.is_structured {
        return false;
    }
    if refusal.codes.iter().any(|code| names_excess(code)) {
        return true;
    }
    if refusal.is_of_a_rate() || refusal.names_another_field() {
        return false;
    }
    let (words, grown) = (Words::of(&refusal.text), sent.has_grown());
    // Servers that fail while they work say 500 as well: there the size must be named.
    let ours = refusal.status < 500;
    (ours && refusal.status == 413)
        || words.tell_an_amount_over_a_limit()
        || (ours && sent.fills_the_window())
        || (grown && words.measured && words.too_much)
}

/// A status that is about what was sent. Some servers answer 500 where a conversation does not fit.
fn refuses_the_request(status: u16) -> bool {
    matches!(status, 400 | 406 | 411 | 413 | 414 | 416 | 422 | 431 | 500 | 502)
}

/// A word for programs that puts what is measured and that it is too much together, such as `context_length_exceeded`,
/// `tokens_limit_reached` or `request_too_large`.
fn names_excess(code: &str) -> bool {
    let code = code.to_ascii_lowercase().replace(['-', ' ', '.'], "_");
    let any = |words: &[&str]| words.iter().any(|word| code.contains(word));
    !any(&["rate", "quota", "per_min", "per_day", "tool", "credit", "billing", "time"])
        && code.len() <= 80
        && any(&["context", "prompt", "input", "token", "length", "window", "request", "payload", "entity", "content"])
        && any(&["exceed", "too_long", "too_large", "too_big", "toolong", "toolarge", "overflow", "limit_reached"])
}

/// What a text says about sizes.
struct Words {
    /// It names what is measured.
    measured: bool,
    /// It says that something is too much, or names a limit.
    too_much: bool,
    /// Its whole numbers that can be sizes.
    numbers: Vec<i64>,
}

/// What is measured, by stems.
const MEASURED: [&str; 20] = [
    "context",
    "token",
    "prompt",
    "input",
    "length",
    "window",
    "messages",
    "conversation",
    "history",
    "sequence",
    "payload",
    "request body",
    "request size",
    "request entity",
    "request is too",
    "request too",
    "request exceed",
    "character",
    "上下文",
    "输入",
];

/// That it is too much, by stems.
const TOO_MUCH: [&str; 40] = [
    "exceed",
    "too long",
    "too large",
    "too big",
    "too many",
    "longer than",
    "larger than",
    "greater than",
    "bigger than",
    "more than",
    "less than",
    "fewer than",
    "smaller than",
    "shorter",
    "at most",
    "at least 1",
    "up to",
    "maximum",
    "max ",
    "limit",
    "<=",
    "reduce",
    "shorten",
    "truncat",
    "range of",
    "out of range",
    "outside",
    "should be [",
    "overflow",
    "not fit",
    "n't fit",
    "no room",
    "no space",
    "not enough",
    "insufficient",
    "over the",
    "超过",
    "超出",
    "过长",
    "上限",
];

/// The least number that can be the size of a window.
const LEAST_LIMIT: i64 = 256;

impl Words {
    fn of(text: &str) -> Words {
        let text = text.to_lowercase();
        let any = |stems: &[&str]| stems.iter().any(|stem| text.contains(stem));
        Words { measured: any(&MEASURED), too_much: any(&TOO_MUCH), numbers: numbers(&text) }
    }

    /// One number that is over another, of something that is measured; or room for a reply that is less than none.
    fn tell_an_amount_over_a_limit(&self) -> bool {
        let sizes = || self.numbers.iter().copied().filter(|n| *n >= LEAST_LIMIT);
        let over = sizes().max() > sizes().min();
        let negative = self.numbers.iter().any(|n| *n < 0);
        self.measured && self.too_much && (over || negative)
    }
}

/// The whole numbers of a text; `1,048,576` is one of them, and what is part of a word is none.
fn numbers(text: &str) -> Vec<i64> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let fresh = at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || b"_.".contains(&bytes[at - 1]));
        if !fresh || !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let negative = at > 0 && bytes[at - 1] == b'-' && (at < 2 || !bytes[at - 2].is_ascii_alphanumeric());
        let mut digits = String::new();
        while at < bytes.len() {
            let group = b",_".contains(&bytes[at])
                && bytes.get(at + 1..at + 4).is_some_and(|three| three.iter().all(u8::is_ascii_digit));
            match bytes[at] {
                digit if digit.is_ascii_digit() => digits.push(char::from(digit)),
                _ if group => {}
                _ => break,
            }
            at += 1;
        }
        if let Ok(number) = digits.parse::<i64>() {
            found.push(if negative { -number } else { number });
        }
    }
    found
}
