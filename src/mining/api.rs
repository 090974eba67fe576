use super::MiningError;
use std::time::Duration;

/// GitHub's own interface.
pub const GITHUB: &str = "https://api.github.com/graphql";

/// Most bytes of an answer.
const MOST_BYTES: u64 = 32 << 20;
/// Seconds for one answer; GitHub itself gives up after ten.
const SECONDS: u64 = 60;

/// What came back from one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Status of HTTP.
    pub status: u16,
    /// The header `retry-after`.
    pub retry_after: Option<String>,
    /// The header `x-ratelimit-remaining`.
    pub remaining: Option<u64>,
    /// The header `x-ratelimit-reset`, seconds since 1970.
    pub reset: Option<i64>,
    /// The body.
    pub body: Vec<u8>,
}

/// A place that answers GraphQL queries.
pub trait Api {
    /// Its address, for messages and for names of kept pages.
    fn address(&self) -> &str;
    /// One request; an error says why there was no answer at all.
    fn post(&self, body: &[u8]) -> Result<Reply, String>;
}

/// The real one, over HTTP.
pub struct Http {
    address: String,
    agent: ureq::Agent,
    /// The value of the header; never shown.
    authorization: String,
    token: String,
}

impl Http {
    /// Goes to `address` with a token; over plain HTTP on this machine only.
    pub fn new(address: &str, token: &str) -> Result<Http, MiningError> {
        let bad = |why: &str| MiningError::Address { address: shown(address), why: why.to_owned() };
        let (scheme, rest) = address.split_once("://").ok_or_else(|| bad("it is no address"))?;
        let host = rest.split('/').next().unwrap_or("");
        if host.contains('@') {
            return Err(bad("it holds a user or a password"));
        }
        let machine = host.rsplit_once(':').map_or(host, |(machine, _)| machine);
        let here = ["127.0.0.1", "localhost", "[::1]"].contains(&machine);
        if !(scheme == "https" || scheme == "http" && here) {
            return Err(bad("a token goes over https:// alone"));
        }
        let token = token.trim();
        let fault = match token.bytes().find(|b| !b.is_ascii_graphic()) {
            _ if token.is_empty() => Some("there is no token"),
            Some(b'\n' | b'\r') => Some("the token has a line break in it: it is one line"),
            Some(b' ' | b'\t') => Some("the token has a blank in it"),
            Some(_) => Some("the token has a character that no token has"),
            None => None,
        };
        if let Some(why) = fault {
            return Err(MiningError::Token { address: address.to_owned(), why: why.to_owned() });
        }
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(SECONDS)))
            .http_status_as_error(false)
            // A token is for the address that it was given for.
            .max_redirects(0)
            .build()
            .into();
        let authorization = format!("Bearer {token}");
        Ok(Http { address: address.to_owned(), agent, authorization, token: token.to_owned() })
    }
}

/// An address without what may be a password.
fn shown(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        (None, Some((_, rest))) => format!("…@{rest}"),
        _ => address.to_owned(),
    }
}

impl Api for Http {
    fn address(&self) -> &str {
        &self.address
    }

    fn post(&self, body: &[u8]) -> Result<Reply, String> {
        let request = self
            .agent
            .post(&self.address)
            .header("authorization", &self.authorization)
            .header("content-type", "application/json")
            .header("accept", "application/vnd.github+json")
            .header("user-agent", concat!("tsbench/", env!("CARGO_PKG_VERSION")));
        let mut response = request.send(body).map_err(|e| e.to_string())?;
        let header = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
        let reply = Reply {
            status: response.status().as_u16(),
            retry_after: header("retry-after"),
            remaining: header("x-ratelimit-remaining").and_then(|v| v.trim().parse().ok()),
            reset: header("x-ratelimit-reset").and_then(|v| v.trim().parse().ok()),
            body: Vec::new(),
        };
        let read = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec().map_err(|e| e.to_string())?;
        Ok(Reply { body: without(read, self.token.as_bytes()), ..reply })
    }
}

/// An answer without the token: a server that repeats what it was sent must not bring it into files and messages.
fn without(body: Vec<u8>, token: &[u8]) -> Vec<u8> {
    if !body.windows(token.len()).any(|w| w == token) {
        return body;
    }
    let (mut out, mut rest) = (Vec::with_capacity(body.len()), body.as_slice());
    while !rest.is_empty() {
        if rest.starts_with(token) {
            out.extend_from_slice(b"[redacted]");
            rest = &rest[token.len()..];
        } else {
            out.push(rest[0]);
            rest = &rest[1..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_over_https_or_stays_on_this_machine() {
        for address in ["https://api.example.org/graphql", "http://127.0.0.1:9/graphql", "http://[::1]:9/x"] {
            assert!(Http::new(address, "abc").is_ok(), "{address}");
        }
        for address in ["http://api.example.org/graphql", "ftp://x", "nonsense", "http://127.0.0.1.example.org/"] {
            assert!(matches!(Http::new(address, "abc"), Err(MiningError::Address { .. })), "{address}");
        }
        let told = Http::new("https://me:secret@example.org/graphql", "abc").err().unwrap().to_string();
        assert!(!told.contains("secret"), "{told}");
        for (token, why) in [(" \n", "no token"), ("a\nb", "line break"), ("a b", "blank"), ("ä", "character")] {
            let told = Http::new(GITHUB, token).err().unwrap().to_string();
            assert!(told.contains(why), "{token:?}: {told}");
        }
    }

    #[test]
    fn a_token_that_comes_back_is_taken_out() {
        assert_eq!(without(b"a tok tok b".to_vec(), b"tok"), b"a [redacted] [redacted] b");
        assert_eq!(without(b"to".to_vec(), b"tok"), b"to");
    }
}
