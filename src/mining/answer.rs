//! What an answer of GitHub means, as its documentation of rate limits and errors has it.

use super::api::Reply;
use serde_json::Value;
use std::time::Duration;

/// What to do with an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// It is good.
    Data(Value),
    /// It has data and errors beside them: another try may bring the rest.
    Partial(Value, Vec<Trouble>),
    /// A rate limit: so long, and why.
    Wait(Duration, String),
    /// Another try may help: what was said, and whether the question may have been too large to be answered in time.
    Again(String, bool),
    /// Another try does not help: what was said, and what to do.
    Refused(String, &'static str),
    /// The token is not accepted.
    Token(String),
}

/// An error about one part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    /// Where in the data it belongs, such as `repository`, `pullRequests`, `nodes`, `3`.
    pub path: Vec<String>,
    /// What was said.
    pub message: String,
}

/// The wait after a secondary limit that names no time; each further one is twice as long.
const MINUTE: Duration = Duration::from_secs(60);
/// Characters of an answer that are quoted.
const QUOTED: usize = 300;

/// Judges an answer; `now` is seconds since 1970, `limited` how often a limit was met before in a row.
pub(super) fn meaning(reply: &Reply, now: i64, limited: u32) -> Meaning {
    let json: Option<Value> = serde_json::from_slice(&reply.body).ok();
    let said = said(json.as_ref(), &reply.body);
    let errors = json.as_ref().map(troubles).unwrap_or_default();
    let types = json.as_ref().map(kinds).unwrap_or_default();
    if is_limit(reply, &said, &types) {
        return Meaning::Wait(wait(reply, now, limited), said);
    }
    match reply.status {
        200 => {}
        401 => return Meaning::Token(said),
        403 | 404 => return Meaning::Refused(said, "the token must be allowed to read the repository"),
        // GitHub's own gateways end what takes them too long with these.
        408 | 502..=504 => return Meaning::Again(format!("status {}: {said}", reply.status), true),
        500.. => return Meaning::Again(format!("status {}: {said}", reply.status), false),
        status => return Meaning::Refused(format!("status {status}: {said}"), "--api must name a GraphQL interface"),
    }
    let Some(json) = json else { return Meaning::Again(format!("the answer is no JSON: {said:?}"), false) };
    let data = json.get("data").filter(|d| d.get("repository").is_some_and(|r| !r.is_null())).cloned();
    match (data, errors.is_empty()) {
        (Some(data), true) => Meaning::Data(data),
        (Some(data), false) => Meaning::Partial(data, errors),
        (None, _) if types.iter().any(|t| t == "NOT_FOUND") => {
            Meaning::Refused(said, "check the spelling of the repository; a private one needs a token that may read it")
        }
        (None, _) if types.iter().any(|t| ["FORBIDDEN", "INSUFFICIENT_SCOPES"].contains(&t.as_str())) => {
            Meaning::Token(said)
        }
        (None, false) => Meaning::Again(said, true),
        (None, true) => Meaning::Again(format!("the answer has no data: {said}"), false),
    }
}

/// The wait that an answer makes necessary before the next request, although it is good itself.
pub(super) fn used_up(reply: &Reply, now: i64) -> Option<Duration> {
    (reply.remaining == Some(0)).then(|| until(reply.reset?, now))?
}

fn is_limit(reply: &Reply, said: &str, types: &[String]) -> bool {
    let low = said.to_lowercase();
    let named = low.contains("rate limit") || low.contains("abuse detection");
    match reply.status {
        429 => true,
        403 => named || reply.retry_after.is_some() || reply.remaining == Some(0),
        200 => types.iter().any(|t| t == "RATE_LIMITED" || t == "RATE_LIMIT") || !types.is_empty() && named,
        _ => false,
    }
}

fn wait(reply: &Reply, now: i64, limited: u32) -> Duration {
    let asked = reply.retry_after.as_deref().and_then(|text| asked(text, now));
    let reset = || if reply.remaining == Some(0) { until(reply.reset?, now) } else { None };
    asked.or_else(reset).unwrap_or_else(|| MINUTE.saturating_mul(2u32.saturating_pow(limited)))
}

/// The seconds that `retry-after` asks for, or the time until the date that it names.
fn asked(text: &str, now: i64) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    until(date.as_second(), now)
}

/// From now until a second, and one more, as clocks differ.
fn until(second: i64, now: i64) -> Option<Duration> {
    u64::try_from(second.saturating_sub(now).saturating_add(1).max(1)).ok().map(Duration::from_secs)
}

fn errors(json: &Value) -> &[Value] {
    json.get("errors").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn kinds(json: &Value) -> Vec<String> {
    let kind = |e: &Value| e.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
    errors(json).iter().map(kind).collect()
}

fn troubles(json: &Value) -> Vec<Trouble> {
    let word = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let trouble = |e: &Value| Trouble {
        path: e.get("path").and_then(Value::as_array).map(|p| p.iter().map(word).collect()).unwrap_or_default(),
        message: cut(e.get("message").and_then(Value::as_str).unwrap_or("an error without a message")),
    };
    errors(json).iter().map(trouble).collect()
}

/// What an answer says in words, to be quoted.
fn said(json: Option<&Value>, body: &[u8]) -> String {
    let messages: Vec<String> = json.map(troubles).unwrap_or_default().into_iter().map(|t| t.message).collect();
    if !messages.is_empty() {
        return cut(&messages.join("; "));
    }
    match json.and_then(|j| j.get("message")).and_then(Value::as_str) {
        Some(message) => cut(message),
        None => cut(&String::from_utf8_lossy(body)),
    }
}

/// One line, without characters that steer a terminal.
fn cut(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> Reply {
        Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() }
    }

    const SECONDARY: &str = r#"{"message":"You have exceeded a secondary rate limit. Please wait a few minutes."}"#;
    const LIMITED: &str =
        r#"{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}"#;

    #[test]
    fn limits_are_waited_for_as_long_as_they_ask() {
        let seconds = |reply: &Reply, limited| match meaning(reply, 1000, limited) {
            Meaning::Wait(wait, _) => wait.as_secs(),
            other => panic!("{other:?}"),
        };
        let primary = Reply { remaining: Some(0), reset: Some(1100), ..reply(200, LIMITED) };
        assert_eq!(seconds(&primary, 0), 101);
        assert_eq!(seconds(&Reply { retry_after: Some("30".into()), ..primary.clone() }, 0), 30);
        assert_eq!(seconds(&Reply { reset: Some(99_999_999), ..primary }, 0), 99_999_000);
        let secondary = reply(403, SECONDARY);
        assert_eq!((seconds(&secondary, 0), seconds(&secondary, 2)), (60, 240));
        assert_eq!(seconds(&reply(200, r#"{"errors":[{"message":"secondary rate limit"}]}"#), 0), 60);
        assert_eq!(seconds(&Reply { retry_after: Some("5".into()), ..reply(429, "") }, 0), 5);
        let date = Reply { retry_after: Some("Thu, 01 Jan 1970 00:17:00 GMT".into()), ..reply(429, "") };
        assert_eq!(seconds(&date, 0), 21);
    }

    #[test]
    fn data_errors_and_faults_are_told_apart() {
        let good = r#"{"data":{"repository":{"a":1}}}"#;
        assert!(matches!(meaning(&reply(200, good), 0, 0), Meaning::Data(_)));
        let partial =
            r#"{"data":{"repository":{"a":[null]}},"errors":[{"message":"timeout","path":["repository","a",0]}]}"#;
        let Meaning::Partial(_, troubles) = meaning(&reply(200, partial), 0, 0) else { panic!() };
        assert_eq!(troubles[0].path, ["repository", "a", "0"]);
        let missing = r#"{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","message":"Could not resolve to a Repository"}]}"#;
        assert!(matches!(meaning(&reply(200, missing), 0, 0), Meaning::Refused(..)));
        assert!(matches!(meaning(&reply(401, r#"{"message":"Bad credentials"}"#), 0, 0), Meaning::Token(_)));
        assert!(matches!(meaning(&reply(403, r#"{"message":"Resource not accessible"}"#), 0, 0), Meaning::Refused(..)));
        let late = r#"{"data":null,"errors":[{"message":"Something went wrong"}]}"#;
        for (status, body, large) in [
            (502, "<html>", true),
            (504, "", true),
            (200, late, true),
            (500, "", false),
            (200, "<html>", false),
            (200, r#"{"data":null}"#, false),
        ] {
            assert!(
                matches!(meaning(&reply(status, body), 0, 0), Meaning::Again(_, l) if l == large),
                "{status} {body}"
            );
        }
        assert!(matches!(meaning(&reply(302, ""), 0, 0), Meaning::Refused(..)));
    }

    #[test]
    fn what_is_quoted_is_one_short_plain_line() {
        let long = format!("\u{1b}[31m{}\n\nx", "a".repeat(1000));
        assert_eq!(cut(&long).chars().count(), QUOTED);
        assert!(!cut(&long).contains('\u{1b}'));
    }

    #[test]
    fn the_last_allowed_request_is_followed_by_a_wait() {
        let last = Reply { remaining: Some(0), reset: Some(50), ..reply(200, "{}") };
        assert_eq!(used_up(&last, 40), Some(Duration::from_secs(11)));
        assert_eq!(used_up(&Reply { remaining: Some(1), ..last }, 40), None);
    }
}
