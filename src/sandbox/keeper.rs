//! The one process of a container that is ours: it holds the container open, and ends everything else in it when asked.
//!
//! It runs as root with the one capability to send signals, so that a command, which has none, cannot end it; and it
//! starts no process, so that it works where a command has used up every process and all memory. It reads its requests
//! from standard input, which Docker closes when our connection does: then it ends, and the container with it, so
//! that a killed harness leaves nothing running.

use super::cgroup;
use bollard::container::{AttachContainerResults, LogOutput};
use futures_util::StreamExt;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Answers each line `<number> <look|kill>` with `<number> <before> <after> <memory counters>`: how many other living
/// processes there were, and how many are left after the signal.
pub(super) const SCRIPT: &str = r#"
count() {
    left=0
    for process in /proc/[0-9]*; do
        if [ "$process" = /proc/1 ] || [ "$process" = "/proc/$$" ]; then continue; fi
        state=
        { while read -r key value rest; do
            if [ "$key" = State: ]; then state=$value; break; fi
        done <"$process/status"; } 2>/dev/null
        case $state in '' | Z | X) ;; *) left=$((left + 1)) ;; esac
    done
}
while read -r number what; do
    count
    before=$left
    if [ "$what" = kill ] && [ "$left" -gt 0 ]; then kill -9 -1 2>/dev/null; count; fi
    memory=
    for file in /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events; do
        if [ -r "$file" ]; then
            while read -r key value; do memory="$memory $key $value"; done <"$file"
        fi
    done
    echo "$number $before $left$memory"
done
"#;

/// What the keeper saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Other living processes before it sent a signal.
    pub before: u64,
    /// Those that are left.
    pub left: u64,
    /// Processes that the kernel has killed for lack of memory since the container started.
    pub memory_kills: u64,
}

/// Why the keeper gave no answer.
#[derive(Debug)]
pub(super) enum Silence {
    /// Its connection ended: so did the container.
    Ended(String),
    /// It did not answer in time.
    Late(Duration),
}

/// The line to the keeper.
pub(super) struct Line {
    output: Pin<Box<dyn futures_util::Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    heard: Vec<u8>,
    number: u64,
}

impl Line {
    pub(super) fn new(attached: AttachContainerResults) -> Line {
        Line { output: attached.output, input: attached.input, heard: Vec::new(), number: 0 }
    }

    /// Ask the keeper to look, and to kill everything else where `kill` says so.
    pub(super) async fn ask(&mut self, kill: bool, patience: Duration) -> Result<Seen, Silence> {
        tokio::time::timeout(patience, self.talk(kill)).await.unwrap_or(Err(Silence::Late(patience)))
    }

    async fn talk(&mut self, kill: bool) -> Result<Seen, Silence> {
        self.number += 1;
        let request = format!("{} {}\n", self.number, if kill { "kill" } else { "look" });
        let ended = |e: std::io::Error| Silence::Ended(e.to_string());
        self.input.write_all(request.as_bytes()).await.map_err(ended)?;
        self.input.flush().await.map_err(ended)?;
        loop {
            while let Some(end) = self.heard.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                if let Some(seen) = answer(&String::from_utf8_lossy(&line), self.number) {
                    return Ok(seen);
                }
            }
            match self.output.next().await {
                Some(Ok(log)) => self.heard.extend_from_slice(&log.into_bytes()),
                Some(Err(e)) => return Err(Silence::Ended(e.to_string())),
                None => return Err(Silence::Ended("its main process ended".to_owned())),
            }
        }
    }
}

/// What a line answers, if it is the answer to this request and not to one whose answer came too late.
fn answer(line: &str, number: u64) -> Option<Seen> {
    let (first, rest) = line.split_once(' ')?;
    let (before, rest) = rest.trim_end().split_once(' ')?;
    let (left, memory) = rest.split_once(' ').unwrap_or((rest, ""));
    let seen =
        Seen { before: before.parse().ok()?, left: left.parse().ok()?, memory_kills: cgroup::memory_kills(memory) };
    (first.parse() == Ok(number)).then_some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_last_request_counts() {
        let seen = Seen { before: 4, left: 1, memory_kills: 2 };
        assert_eq!(answer("7 4 1 oom_kill_disable 0 oom_kill 2\n", 7), Some(seen));
        assert_eq!(answer("7 4 1\n", 7), Some(Seen { memory_kills: 0, ..seen }));
        assert_eq!(answer("6 4 1\n", 7), None);
        assert_eq!(answer("sh: something\n", 7), None);
    }
}
