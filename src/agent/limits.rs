use serde::{Deserialize, Serialize};

/// What one attempt may use. Every model gets the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Replies of the model.
    pub turns: u64,
    /// Seconds of the model and of its commands; waits for a provider that fails do not count.
    pub agent_seconds: u64,
    /// Seconds of one command.
    pub command_seconds: u64,
    /// Characters of each output stream that the model is shown.
    pub stream_characters: usize,
    /// The how many-th time that one command in a row ends the attempt.
    pub same_commands: u32,
    /// Most tokens of one reply; a lower limit of the model holds.
    pub max_output_tokens: u64,
    /// US dollars that the attempt may cost; none where there is no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt_budget_usd: Option<f64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            turns: 40,
            agent_seconds: 900,
            command_seconds: 60,
            stream_characters: 4000,
            same_commands: 3,
            max_output_tokens: 32_768,
            attempt_budget_usd: None,
        }
    }
}

/// Why an agent stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It handed its work in.
    Submitted,
    /// It had as many turns as it may have.
    TurnLimit,
    /// Its time was over.
    TimeLimit,
    /// The next call might have cost more than was left for the attempt.
    CostLimit,
    /// The conversation outgrew the model's context.
    ContextLimit,
    /// It gave one command too often in a row.
    RepeatedCommand,
    /// The program that is the agent ended with an error of its own.
    AgentFailed,
    /// The next call might have cost more than was left for the run: our doing, not the model's.
    RunBudget,
}

impl Stop {
    /// All of them.
    const ALL: [Stop; 8] = [
        Stop::Submitted,
        Stop::TurnLimit,
        Stop::TimeLimit,
        Stop::CostLimit,
        Stop::ContextLimit,
        Stop::RepeatedCommand,
        Stop::AgentFailed,
        Stop::RunBudget,
    ];

    /// The one that a word of raw lines means.
    pub fn from_word(word: &str) -> Option<Stop> {
        Stop::ALL.into_iter().find(|stop| stop.word() == word)
    }

    /// The word of raw lines.
    pub const fn word(self) -> &'static str {
        match self {
            Stop::Submitted => "submitted",
            Stop::TurnLimit => "turn_limit",
            Stop::TimeLimit => "time_limit",
            Stop::CostLimit => "cost_limit",
            Stop::ContextLimit => "context_limit",
            Stop::RepeatedCommand => "repeated_command",
            Stop::AgentFailed => "agent_failed",
            Stop::RunBudget => "run_budget",
        }
    }
}
