//! The fields of a line: which there are, and which object each stands in.

use super::key::{self, Key};

/// A field of the contract, the whole line, or a value that the contract does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Slot {
    Schema,
    Run,
    Suite,
    Task,
    Model,
    Repeat,
    Outcome,
    Agent,
    Condition,
    Stop,
    Score,
    ScorePassed,
    ScoreTotal,
    Tests,
    Targets,
    TargetsPassed,
    TargetsTotal,
    TargetsFailed,
    Guards,
    GuardsPassed,
    GuardsTotal,
    GuardsFailed,
    Patch,
    PatchSha256,
    PatchApplied,
    PatchBytes,
    PatchFiles,
    PatchDropped,
    PatchPutBack,
    Usage,
    Input,
    CachedInput,
    CacheWrite,
    Output,
    Requests,
    Cost,
    Seconds,
    AgentSeconds,
    InstallSeconds,
    TestSeconds,
    TotalSeconds,
    Turns,
    Retries,
    Error,
    Digests,
    Tool,
    StartedAt,
    FinishedAt,
    Line,
    Other,
}

/// The fields that every line must have.
pub(super) const REQUIRED: u64 = Slot::Agent.bit() - 1;

impl Slot {
    /// The field's own bit.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self as u8
    }

    /// Whether it is an object whose fields are slots again.
    #[inline]
    pub const fn is_object(self) -> bool {
        const OBJECTS: u64 = Slot::Line.bit()
            | Slot::Score.bit()
            | Slot::Tests.bit()
            | Slot::Targets.bit()
            | Slot::Guards.bit()
            | Slot::Patch.bit()
            | Slot::Usage.bit()
            | Slot::Seconds.bit();
        OBJECTS & self.bit() != 0
    }

    /// The fields that an object of this kind must have.
    #[inline]
    pub const fn required(self) -> u64 {
        match self {
            Slot::Line => REQUIRED,
            Slot::Score => Slot::ScorePassed.bit() | Slot::ScoreTotal.bit(),
            Slot::Targets => Slot::TargetsPassed.bit() | Slot::TargetsTotal.bit(),
            Slot::Guards => Slot::GuardsPassed.bit() | Slot::GuardsTotal.bit(),
            _ => 0,
        }
    }

    /// The field of this object that has the key.
    pub fn field(self, key: Key) -> Slot {
        match self {
            Slot::Line => of_line(key),
            Slot::Score => pair(key, [Slot::ScorePassed, Slot::ScoreTotal, Slot::Other]),
            Slot::Targets => pair(key, [Slot::TargetsPassed, Slot::TargetsTotal, Slot::TargetsFailed]),
            Slot::Guards => pair(key, [Slot::GuardsPassed, Slot::GuardsTotal, Slot::GuardsFailed]),
            Slot::Tests => match key {
                key::TARGETS => Slot::Targets,
                key::GUARDS => Slot::Guards,
                _ => Slot::Other,
            },
            Slot::Patch => match key {
                key::SHA256 => Slot::PatchSha256,
                key::BYTES => Slot::PatchBytes,
                key::FILES => Slot::PatchFiles,
                key::APPLIED => Slot::PatchApplied,
                key::DROPPED => Slot::PatchDropped,
                key::PUT_BACK => Slot::PatchPutBack,
                _ => Slot::Other,
            },
            Slot::Usage => match key {
                key::INPUT => Slot::Input,
                key::OUTPUT => Slot::Output,
                key::CACHED_INPUT => Slot::CachedInput,
                key::CACHE_WRITE => Slot::CacheWrite,
                key::REQUESTS => Slot::Requests,
                _ => Slot::Other,
            },
            Slot::Seconds => match key {
                key::AGENT => Slot::AgentSeconds,
                key::TOTAL => Slot::TotalSeconds,
                key::INSTALL => Slot::InstallSeconds,
                key::TESTS => Slot::TestSeconds,
                _ => Slot::Other,
            },
            _ => Slot::Other,
        }
    }
}

fn of_line(key: Key) -> Slot {
    match key {
        key::SCHEMA => Slot::Schema,
        key::RUN => Slot::Run,
        key::SUITE => Slot::Suite,
        key::TASK => Slot::Task,
        key::MODEL => Slot::Model,
        key::REPEAT => Slot::Repeat,
        key::OUTCOME => Slot::Outcome,
        key::AGENT => Slot::Agent,
        key::CONDITION => Slot::Condition,
        key::STOP => Slot::Stop,
        key::SCORE => Slot::Score,
        key::TESTS => Slot::Tests,
        key::PATCH => Slot::Patch,
        key::USAGE => Slot::Usage,
        key::COST_USD => Slot::Cost,
        key::SECONDS => Slot::Seconds,
        key::TURNS => Slot::Turns,
        key::RETRIES => Slot::Retries,
        key::ERROR => Slot::Error,
        key::DIGESTS => Slot::Digests,
        key::TOOL => Slot::Tool,
        key::STARTED_AT => Slot::StartedAt,
        key::FINISHED_AT => Slot::FinishedAt,
        _ => Slot::Other,
    }
}

fn pair(key: Key, [passed, total, failed]: [Slot; 3]) -> Slot {
    match key {
        key::PASSED => passed,
        key::TOTAL => total,
        key::FAILED => failed,
        _ => Slot::Other,
    }
}
