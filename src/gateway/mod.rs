//! Models behind one trait, whatever they speak.
//!
//! In: a conversation, what `models.toml` says of a model, and the keys that `cli` read. Out: the model's reply with its
//! tokens and its price, and every try on the way there, failed ones too, each with the exact request and answer. What a
//! model did (an empty reply, a refusal, too long a conversation) is told apart from what failed around it.
//! This room must not know of tasks, sandboxes, commands or verdicts, and no key leaves it but to the model's address.

mod allowed;
mod anthropic;
mod call;
mod error;
mod faults;
mod guarded;
mod http;
mod message;
mod mock;
mod models;
mod ollama;
mod open;
mod openai;
mod overflow;
mod pace;
mod price;
mod probe;
mod refusal;
mod relay;
mod retry;
mod script;
mod secrets;
mod sieve;
mod sound;
mod speech;
mod spent;
mod stream;
mod told;
mod usage;

pub use call::{Call, CallLog};
pub use error::{Expired, GatewayError};
pub use message::{Finish, Message, Reply, Request, Role, Tool, ToolCall};
pub use mock::{AgentKind, MockContext};
pub use models::{Dialect, ModelEntry, Models};
pub use open::{Gateways, open};
pub use price::Price;
pub use probe::{Probe, probe};
pub use relay::{Asked, Passed, Relay};
pub use retry::Retry;
pub use secrets::Secrets;
pub use spent::Spent;
pub use usage::{MOST_TOKENS, MOST_USD};

use async_trait::async_trait;

/// One model, ready to be asked: one per attempt.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Ask for the next reply. Every try is handed to `log` before anything else happens with it.
    ///
    /// Dropping the future gives the request up; its try is then not logged.
    async fn complete(&self, request: &Request, log: &mut dyn CallLog) -> Result<Reply, GatewayError>;

    /// What `models.toml` says of the model.
    fn entry(&self) -> &ModelEntry;
}
