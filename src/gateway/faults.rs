//! What an answer that is no reply means: whose fault it is, and whether another try may help.

use super::GatewayError;
use super::overflow::{Evidence, outgrown};
use super::refusal::Refusal;
use serde_json::Value;

/// Characters of a provider's words that an error repeats.
const WORDS: usize = 500;

/// An answer that is no reply.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// The provider or the request failed; `again` where another try may help.
    Fault { error: GatewayError, again: bool },
    /// The model called a tool in a way that its server could not read: the model's fault, with the server's words.
    Garbled(String),
}

/// Says what an answer is, if it is no reply. `text` is the body where it is no JSON; `sent` is what was sent.
pub(super) fn judge(status: u16, body: Option<&Value>, text: &str, sent: &Evidence) -> Option<Answer> {
    // One provider wraps its errors into a list.
    let body = body.map(|body| body.as_array().and_then(|list| list.first()).filter(|v| v.is_object()).unwrap_or(body));
    let error = body.and_then(|body| body.get("error")).filter(|error| !error.is_null());
    let good = (200..300).contains(&status);
    let replied = |body: &Value| {
        body.get("choices").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
            || body.get("content").is_some_and(Value::is_array)
            || body.get("message").is_some_and(Value::is_object)
    };
    let complains = |body: &Value| !replied(body) && (error.is_some() || says_no(body));
    if good && !body.is_some_and(complains) {
        return None;
    }
    // Some providers answer 200 and put the status into the body.
    let status = if good { inner_status(error.or(body)).unwrap_or(502) } else { status };
    let words = match body {
        // Some servers have a word of their own for an error.
        Some(body) if error.is_none() => words(None, &body.to_string()),
        _ => words(error, text),
    };
    let refusal = Refusal::read(status, body, text);
    if garbled(&words, &refusal.codes) {
        let generated = error.and_then(|e| e.get("failed_generation")).and_then(Value::as_str);
        return Some(Answer::Garbled(generated.unwrap_or(&words).to_owned()));
    }
    let (error, again) = class(&refusal, words, sent);
    Some(Answer::Fault { error, again })
}

/// Whether a body without a reply and without `error` says that something went wrong, as some providers do.
fn says_no(body: &Value) -> bool {
    let code = |at: &str| body.pointer(at).and_then(Value::as_i64).is_some_and(|code| code != 0);
    let text = |name: &str| body.get(name).is_some_and(Value::is_string);
    code("/base_resp/status_code")
        || code("/error_code")
        || text("error_msg")
        || text("message")
        || body.get("detail").is_some()
        || body.get("errors").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
        || body.get("object").is_some_and(|object| object == "error")
}

fn class(refusal: &Refusal, text: String, sent: &Evidence) -> (GatewayError, bool) {
    let status = refusal.status;
    let has = |word: &str| refusal.codes.iter().any(|code| code.to_ascii_lowercase().contains(word));
    if outgrown(refusal, sent) {
        // Before the model has said a word, only the task's text and the limits of models.toml can be too long.
        return if sent.answered {
            (GatewayError::ContextOverflow { text }, false)
        } else {
            (GatewayError::BadRequest { status, text }, false)
        };
    }
    match status {
        // An empty account answers 429, and waiting does not fill it.
        429 if has("insufficient_quota") => (GatewayError::Auth { status, text }, false),
        401..=403 => (GatewayError::Auth { status, text }, false),
        429 => (GatewayError::RateLimited { text }, true),
        // More than may be asked in a minute at once: no wait makes room for it.
        413 if refusal.is_of_a_rate() => (GatewayError::RateLimited { text }, false),
        408 | 409 | 425 | 500..=599 => (GatewayError::Server { status, text }, true),
        _ => (GatewayError::BadRequest { status, text }, false),
    }
}

/// The status that a body states, as a number or by a word that stands for one.
fn inner_status(error: Option<&Value>) -> Option<u16> {
    let error = error?;
    let number = |name: &str| {
        let code = error.get(name)?;
        let code = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
        u16::try_from(code).ok().filter(|code| (400..600).contains(code))
    };
    let word = |name: &str| {
        Some(match error.get(name)?.as_str()?.to_ascii_lowercase().as_str() {
            "overloaded_error" | "unavailable" => 529,
            "rate_limit_error" | "rate_limit_exceeded" | "resource_exhausted" | "insufficient_quota" => 429,
            "authentication_error" | "unauthenticated" => 401,
            "permission_error" | "permission_denied" => 403,
            "not_found_error" | "not_found" => 404,
            "request_too_large" => 413,
            "invalid_request_error" | "invalid_argument" | "bad_request_error" | "badrequesterror" => 400,
            _ => return None,
        })
    };
    ["code", "status", "status_code"]
        .iter()
        .find_map(|name| number(name))
        .or_else(|| ["type", "status", "code"].iter().find_map(|name| word(name)))
}

/// The provider's words, without what a page of HTML has around them.
fn words(error: Option<&Value>, text: &str) -> String {
    let said = error.and_then(|e| e.get("message").unwrap_or(e).as_str()).unwrap_or(text);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match said.char_indices().nth(WORDS) {
        Some((at, _)) => format!("{}…", &said[..at]),
        None if said.is_empty() => "no explanation".to_owned(),
        None => said,
    }
}

/// True where a server could not read the model's own call of a tool.
fn garbled(text: &str, codes: &[String]) -> bool {
    let text = text.to_ascii_lowercase();
    ["tool_use_failed", "output_parse_failed"].iter().any(|word| codes.iter().any(|code| code.contains(word)))
        || ["error parsing tool call", "failed to parse tool call", "failed to parse input at pos"]
            .iter()
            .any(|way| text.contains(way))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn class_of(status: u16, body: &Value, answered: bool) -> (&'static str, bool) {
        match judge(status, Some(body), &body.to_string(), &Evidence { answered, ..Evidence::default() }) {
            Some(Answer::Fault { error, again }) => (error.class(), again),
            Some(Answer::Garbled(_)) => ("garbled", false),
            None => ("reply", false),
        }
    }

    #[test]
    fn each_servers_way_to_say_too_long_is_understood() {
        for (status, body) in [
            (400, json!({"error": {"code": "context_length_exceeded", "message": "Too long."}})),
            (400, json!({"error": {"message": "This endpoint's maximum context length is 8192 tokens.", "code": 400}})),
            (
                400,
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
            ),
            (
                400,
                json!({"error": {"code": 400, "message": "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it", "type": "exceed_context_size_error"}}),
            ),
            (
                500,
                json!({"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}}),
            ),
            (
                200,
                json!({"error": {"code": 400, "message": "the request exceeds the available context size.", "type": "exceed_context_size_error"}}),
            ),
            (400, json!({"error": "the input length exceeds the context length"})),
            (
                413,
                json!({"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
            ),
        ] {
            assert_eq!(class_of(status, &body, true), ("context_overflow", false), "{body}");
            assert_eq!(class_of(status, &body, false), ("bad_request", false), "{body}");
        }
    }

    #[test]
    fn a_status_says_who_failed_and_whether_to_try_again() {
        let body = json!({"error": {"message": "No."}});
        for (status, class, again) in [
            (401, "auth", false),
            (402, "auth", false),
            (403, "auth", false),
            (404, "bad_request", false),
            (301, "bad_request", false),
            (408, "server", true),
            (409, "server", true),
            (429, "rate_limited", true),
            (500, "server", true),
            (529, "server", true),
        ] {
            assert_eq!(class_of(status, &body, true), (class, again), "{status}");
            let inner = json!({"error": {"message": "No.", "code": status}});
            if status >= 400 {
                assert_eq!(class_of(200, &inner, true), (class, again), "{status} within 200");
            }
        }
        assert_eq!(
            class_of(429, &json!({"error": {"code": "insufficient_quota", "message": "Pay."}}), true),
            ("auth", false)
        );
        assert_eq!(class_of(200, &json!({"choices": [{"message": {}}], "error": null}), true), ("reply", false));
    }

    #[test]
    fn a_call_that_a_server_cannot_read_is_the_models() {
        for (status, body) in [
            (500, json!({"error": "error parsing tool call: raw='{\"a\":'"})),
            (
                400,
                json!({"error": {"code": "tool_use_failed", "message": "Failed to call a function.", "failed_generation": "<x>"}}),
            ),
            (
                500,
                json!({"error": {"code": 500, "message": "Failed to parse input at pos 12", "type": "server_error"}}),
            ),
        ] {
            assert_eq!(class_of(status, &body, true), ("garbled", false), "{body}");
        }
    }

    #[test]
    fn an_error_without_the_usual_field_is_told_whole() {
        let body = json!({"detail": "Not Found"});
        let Some(Answer::Fault { error, .. }) = judge(404, Some(&body), "", &Evidence::default()) else {
            panic!("404 is a fault")
        };
        assert_eq!(error, GatewayError::BadRequest { status: 404, text: "{\"detail\":\"Not Found\"}".into() });
    }

    #[test]
    fn a_page_of_words_is_cut_between_characters() {
        let Some(Answer::Fault { error: GatewayError::Server { text, .. }, .. }) =
            judge(502, None, &"ä ".repeat(9000), &Evidence::default())
        else {
            panic!("502 is a server's fault")
        };
        assert_eq!(text.chars().count(), WORDS + 1);
    }
}
