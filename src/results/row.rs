use crate::schema::Outcome;

/// Why an agent stopped, as far as this version knows the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stop {
    /// Nothing is said.
    Unsaid,
    /// The agent handed its work in.
    Submitted,
    /// It ran out of turns.
    TurnLimit,
    /// It ran out of time.
    TimeLimit,
    /// It ran out of money.
    CostLimit,
    /// Its conversation became longer than the model takes.
    ContextLimit,
    /// It repeated itself.
    RepeatedCommand,
    /// The provider failed.
    ProviderError,
    /// The harness failed.
    HarnessError,
    /// The money of the whole run was spent.
    RunBudget,
    /// A person stopped it.
    Cancelled,
    /// Another word; the raw line has it.
    Other,
}

impl Stop {
    /// The stop of a stored word.
    pub fn from_word(word: &str) -> Stop {
        Stop::of_bytes(word.as_bytes())
    }

    pub(super) fn of_bytes(word: &[u8]) -> Stop {
        match word {
            b"submitted" => Stop::Submitted,
            b"turn_limit" => Stop::TurnLimit,
            b"time_limit" => Stop::TimeLimit,
            b"cost_limit" => Stop::CostLimit,
            b"context_limit" => Stop::ContextLimit,
            b"repeated_command" => Stop::RepeatedCommand,
            b"provider_error" => Stop::ProviderError,
            b"harness_error" => Stop::HarnessError,
            b"run_budget" => Stop::RunBudget,
            b"cancelled" => Stop::Cancelled,
            _ => Stop::Other,
        }
    }

    /// The words shown to readers, empty where nothing is said.
    pub const fn label(self) -> &'static str {
        match self {
            Stop::Unsaid => "",
            Stop::Submitted => "submitted",
            Stop::TurnLimit => "turn limit",
            Stop::TimeLimit => "time limit",
            Stop::CostLimit => "cost limit",
            Stop::ContextLimit => "context limit",
            Stop::RepeatedCommand => "repeated command",
            Stop::ProviderError => "provider error",
            Stop::HarnessError => "harness error",
            Stop::RunBudget => "run budget",
            Stop::Cancelled => "cancelled",
            Stop::Other => "other",
        }
    }

    /// Whether a limit of turns, time or money ended the attempt.
    pub const fn is_limit(self) -> bool {
        matches!(self, Stop::TurnLimit | Stop::TimeLimit | Stop::CostLimit)
    }
}

/// One attempt, compact: what numbers and pages need, and where the whole line stands.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index into the run's `tasks`.
    pub task: u32,
    /// 0-based repeat.
    pub repeat: u32,
    /// Index into the run's `models`.
    pub model: u16,
    /// Index into [`super::RunFile::variants`]: agent and condition.
    pub variant: u16,
    /// How it counts.
    pub outcome: Outcome,
    /// Why the agent stopped.
    pub stop: Stop,
    /// A later line of the same identity stands in its place.
    pub superseded: bool,
    /// The line has an error text.
    pub has_error: bool,
    /// 1-based line of `attempts.jsonl`.
    pub line: u32,
    pub(super) turns: u32,
    pub(super) cost: f64,
    pub(super) agent_seconds: f64,
    pub(super) total_seconds: f64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// Targets passed and in all; `(0, 0)` where the line does not say.
    pub targets: (u32, u32),
    /// Guards passed and in all; `(0, 0)` where the line does not say.
    pub guards: (u32, u32),
}

/// Stands for "the line does not say" in the integer fields of a row; not a number does so in the others.
pub(super) const NONE_U32: u32 = u32::MAX;
pub(super) const NONE_U64: u64 = u64::MAX;

impl Row {
    /// Cost in dollars to the bit as the line says it, none where it is unknown.
    pub fn cost_usd(&self) -> Option<f64> {
        (!self.cost.is_nan()).then_some(self.cost)
    }

    /// Cost rounded to whole nano-dollars, none where it is unknown: sums of these do not depend on their order.
    pub fn cost_nano(&self) -> Option<i64> {
        self.cost_usd().map(|dollars| (dollars * 1e9).round() as i64)
    }

    /// Seconds that the agent worked.
    pub fn agent_seconds(&self) -> Option<f64> {
        (!self.agent_seconds.is_nan()).then_some(self.agent_seconds)
    }

    /// Seconds of the whole attempt.
    pub fn total_seconds(&self) -> Option<f64> {
        (!self.total_seconds.is_nan()).then_some(self.total_seconds)
    }

    /// Turns of the agent.
    pub fn turns(&self) -> Option<u32> {
        (self.turns != NONE_U32).then_some(self.turns)
    }

    /// Input and output tokens, none unless both are known.
    pub fn tokens(&self) -> Option<(u64, u64)> {
        self.input_tokens().zip(self.output_tokens())
    }

    /// Input tokens.
    pub fn input_tokens(&self) -> Option<u64> {
        (self.tokens_in != NONE_U64).then_some(self.tokens_in)
    }

    /// Output tokens.
    pub fn output_tokens(&self) -> Option<u64> {
        (self.tokens_out != NONE_U64).then_some(self.tokens_out)
    }

    pub(super) fn key(&self) -> (u32, u16, u16, u32) {
        (self.task, self.model, self.variant, self.repeat)
    }
}
