use super::Kept;

/// One command: words, never a shell unless the words say so.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Absolute folder to run in.
    pub dir: String,
    /// Environment beside [`FIXED_ENV`] and the image's own.
    pub env: Vec<(String, String)>,
    /// Seconds until everything it started is killed. The clock starts when the command does.
    pub seconds: u64,
    /// Who runs it.
    pub user: User,
    /// What it may read from standard input; nothing means an input at its end.
    pub stdin: Vec<u8>,
    /// Bytes kept of each output stream, half from its beginning and half from its end.
    pub output_bytes: usize,
}

impl Command {
    /// A command of the agent in `/workspace`, with a minute and 64 KiB of each output.
    pub fn new<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Command {
        Command {
            words: words.into_iter().map(Into::into).collect(),
            dir: "/workspace".to_owned(),
            env: Vec::new(),
            seconds: 60,
            user: User::Agent,
            stdin: Vec::new(),
            output_bytes: 64 << 10,
        }
    }

    /// A line for the POSIX shell: see [`Command::new`].
    pub fn shell(line: &str) -> Command {
        Command::new(["sh", "-c", line])
    }
}

/// Who runs a command inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The user 1000, who owns `/workspace` and nothing else.
    Agent,
    /// The user 0, without any capability but that of ending processes. The same as the agent without Docker.
    Root,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Kept,
    /// Its standard error.
    pub stderr: Kept,
    /// Seconds from its start to its end.
    pub seconds: f64,
    /// Processes that were killed for lack of memory while it ran.
    pub memory_kills: u64,
    /// Whether processes that it had started outlived it and were killed.
    pub strays: bool,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal. Containers report it as exit code 128 + signal, so that such a code counts as one too.
    Signal(i32),
    /// It took longer than it may; everything was killed.
    TimedOut,
    /// It failed after a process was killed for lack of memory.
    OutOfMemory,
    /// It wrote more than it may; everything was killed.
    DiskLimit,
}

impl End {
    /// Whether the command ended by itself with code 0.
    pub fn good(self) -> bool {
        self == End::Exit(0)
    }

    /// What an exit code of a container says.
    pub(super) fn of_container(code: i64) -> End {
        match code {
            129..=192 => End::Signal((code - 128) as i32),
            code => End::Exit(code as i32),
        }
    }
}

/// Environment of every command, so that one machine runs it as the other does.
pub const FIXED_ENV: &[(&str, &str)] = &[
    ("CI", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("PYTHONHASHSEED", "0"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
];
