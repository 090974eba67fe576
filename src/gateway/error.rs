use std::fmt;
use std::path::PathBuf;

/// Which patience ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// Nothing came for too long while an answer was coming.
    Idle,
    /// The answer as a whole took too long.
    Total,
}

impl fmt::Display for Expired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expired::Idle => "went silent",
            Expired::Total => "did not end",
        })
    }
}

/// Why there is no reply. Texts hold no key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GatewayError {
    /// A file is not what it should be.
    #[error("use {}: {what}\nhint: {hint}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What was found and expected, with the line where there is one.
        what: String,
        /// What to do.
        hint: String,
    },
    /// There is no such model.
    #[error("find the model {id:?}\nhint: {hint}")]
    NoModel {
        /// The identity asked for.
        id: String,
        /// What there is.
        hint: String,
    },
    /// A key is not set.
    #[error(
        "read the key of {model}: the variable {variable} is not set\nhint: export {variable}=… or put it into .env"
    )]
    MissingKey {
        /// The model.
        model: String,
        /// Name of the variable.
        variable: String,
    },
    /// No client could be made.
    #[error(
        "prepare requests to {address}: {cause}\nhint: where certificates are missing, install the package ca-certificates"
    )]
    Setup {
        /// The address.
        address: String,
        /// The cause.
        cause: String,
    },
    /// The provider does not accept the key, or the account may not use the model or has no money.
    #[error("be let in (status {status}): {text}\nhint: look at the key, its rights and the account's balance")]
    Auth {
        /// Status.
        status: u16,
        /// The provider's words.
        text: String,
    },
    /// The provider does not understand the request: a fault of `models.toml` or of this program.
    #[error(
        "be understood (status {status}): {text}\nhint: compare base_url, model and options in models.toml with the provider's manual"
    )]
    BadRequest {
        /// Status.
        status: u16,
        /// The provider's words.
        text: String,
    },
    /// The conversation has outgrown the model's context: the model's own limit.
    #[error("go on: the conversation is longer than the model's context: {text}")]
    ContextOverflow {
        /// The provider's words.
        text: String,
    },
    /// Too many requests, still after the last try.
    #[error(
        "be served: the provider limits the rate: {text}\nhint: lower requests_per_minute or concurrent of the model in models.toml"
    )]
    RateLimited {
        /// The provider's words.
        text: String,
    },
    /// The provider failed, still after the last try.
    #[error("get an answer: the provider failed (status {status}): {text}")]
    Server {
        /// Status.
        status: u16,
        /// The provider's words.
        text: String,
    },
    /// No connection, or it broke.
    #[error("reach {address}: {cause}\nhint: is the model's server running?")]
    Connection {
        /// The address.
        address: String,
        /// The cause.
        cause: String,
    },
    /// No answer in time.
    #[error("wait for an answer: it {what} within {seconds} s")]
    Timeout {
        /// Which patience.
        what: Expired,
        /// The patience, in seconds.
        seconds: f64,
    },
    /// The attempt's own time ran out while the model was answering.
    #[error("wait for an answer: the attempt's time is over after {seconds} s more")]
    OutOfTime {
        /// The seconds that were left.
        seconds: f64,
    },
    /// The answer is larger than any reply.
    #[error("take an answer of more than {most} bytes")]
    TooLarge {
        /// The most bytes that are read.
        most: usize,
    },
    /// The answer is not what the provider's contract says.
    #[error("understand the answer: {what}")]
    Malformed {
        /// What was found and expected.
        what: String,
    },
    /// A script or a recording has no reply left.
    #[error("go on: {file} has {turns} replies and no more")]
    Exhausted {
        /// The file.
        file: String,
        /// How many it had.
        turns: usize,
    },
}

impl GatewayError {
    /// A short word for the kind of failure.
    pub const fn class(&self) -> &'static str {
        match self {
            GatewayError::File { .. } => "file",
            GatewayError::NoModel { .. } => "no_model",
            GatewayError::MissingKey { .. } => "missing_key",
            GatewayError::Setup { .. } => "setup",
            GatewayError::Auth { .. } => "auth",
            GatewayError::BadRequest { .. } => "bad_request",
            GatewayError::ContextOverflow { .. } => "context_overflow",
            GatewayError::RateLimited { .. } => "rate_limited",
            GatewayError::Server { .. } => "server",
            GatewayError::Connection { .. } => "connection",
            GatewayError::Timeout { .. } => "timeout",
            GatewayError::OutOfTime { .. } => "time_limit",
            GatewayError::TooLarge { .. } => "too_large",
            GatewayError::Malformed { .. } => "malformed",
            GatewayError::Exhausted { .. } => "exhausted",
        }
    }

    /// Ours or the provider's, never the model's: an attempt that ends so says nothing about the model.
    pub const fn is_infra(&self) -> bool {
        !matches!(self, GatewayError::ContextOverflow { .. } | GatewayError::OutOfTime { .. })
    }
}
