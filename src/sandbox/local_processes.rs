//! Finding and ending the processes of a local sandbox by what the kernel says of them.
//!
//! A process belongs to a sandbox if its environment carries the sandbox's mark, if it works or has its program below
//! the sandbox's folder, if it is in a session or group of one that does, or if one that does is its ancestor. One that
//! clears its environment, leaves its session and leaves the folder escapes: this is no isolation, and rows say so.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The variable that marks the processes of a sandbox.
pub(super) const MARK: &str = "TSBENCH_SANDBOX";

/// How to tell a sandbox's processes from others.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// The folder of the sandbox.
    pub root: PathBuf,
    /// The session of the command that runs or ran last, which is the number of its first process.
    pub session: Option<i32>,
}

/// One living process.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    /// Memory in use, in pages.
    pages: u64,
    marked: bool,
}

impl Mark {
    /// The entry of the environment.
    pub(super) fn entry(&self) -> (String, String) {
        (MARK.to_owned(), self.root.to_string_lossy().into_owned())
    }

    fn is_on(&self, pid: i32) -> bool {
        let (key, value) = self.entry();
        let entry = format!("{key}={value}");
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let below = |link: &str| {
            std::fs::read_link(format!("/proc/{pid}/{link}")).is_ok_and(|path| path.starts_with(&self.root))
        };
        environ.split(|b| *b == 0).any(|e| e == entry.as_bytes()) || below("cwd") || below("exe")
    }

    /// The sandbox's living processes.
    pub(super) fn processes(&self) -> Vec<Process> {
        let all: Vec<Process> = processes()
            .map(|p| Process { marked: self.session == Some(p.session) || self.is_on(p.pid), ..p })
            .collect();
        belonging(&all, own(&all))
    }

    /// The living processes of the command's session: found much faster than all of them.
    pub(super) fn session_processes(&self) -> Vec<Process> {
        processes().filter(|p| Some(p.session) == self.session).collect()
    }

    /// Send all of them a signal that none can ignore; how many there were.
    pub(super) fn kill(&self) -> usize {
        // First the command's own group, at once and without a look: none of it can start another meanwhile.
        kill_group(self.session);
        let all: Vec<Process> = self.processes();
        let ours = own(&processes().collect::<Vec<_>>()).0;
        for group in all.iter().map(|p| p.group).filter(|g| *g != ours).collect::<HashSet<_>>() {
            kill_group(Some(group));
        }
        for process in &all {
            Pid::from_raw(process.pid).map(|pid| kill_process(pid, Signal::KILL));
        }
        all.len()
    }
}

fn kill_group(group: Option<i32>) {
    group.filter(|g| *g > 1).and_then(Pid::from_raw).map(|group| kill_process_group(group, Signal::KILL));
}

/// Our own group and session.
fn own(all: &[Process]) -> (i32, i32) {
    let us = all.iter().find(|p| p.pid == std::process::id() as i32);
    us.map_or((0, 0), |us| (us.group, us.session))
}

/// Bytes of memory that these processes use together.
pub(super) fn memory(processes: &[Process]) -> u64 {
    processes.iter().map(|p| p.pages).sum::<u64>().saturating_mul(rustix::param::page_size() as u64)
}

/// Those that belong to the marked ones; never those of our own group or session, nor the first process.
fn belonging(all: &[Process], ours: (i32, i32)) -> Vec<Process> {
    let mut inside: HashSet<i32> = all.iter().filter(|p| p.marked && p.pid > 1).map(|p| p.pid).collect();
    loop {
        let of = |get: fn(&Process) -> i32| -> HashSet<i32> {
            all.iter().filter(|p| inside.contains(&p.pid)).map(get).collect()
        };
        let (groups, sessions) = (of(|p| p.group), of(|p| p.session));
        let joins = |p: &&Process| {
            !inside.contains(&p.pid)
                && p.pid > 1
                && p.pid != std::process::id() as i32
                && (inside.contains(&p.parent)
                    || (p.group != ours.0 && groups.contains(&p.group))
                    || (p.session != ours.1 && sessions.contains(&p.session)))
        };
        let more: Vec<i32> = all.iter().filter(joins).map(|p| p.pid).collect();
        if more.is_empty() {
            return all.iter().filter(|p| inside.contains(&p.pid)).cloned().collect();
        }
        inside.extend(more);
    }
}

fn processes() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        process(pid, &std::fs::read(entry.path().join("stat")).ok()?)
    })
}

/// A process from its `stat`, whose fields are counted after the name in parentheses; none if it does not live.
fn process(pid: i32, stat: &[u8]) -> Option<Process> {
    let rest = std::str::from_utf8(&stat[stat.iter().rposition(|b| *b == b')')? + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|f| f.parse::<i32>().ok());
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    Some(Process {
        pid,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        pages: fields.get(21)?.parse().unwrap_or(0),
        marked: false,
    })
}

/// Every folder of a sandbox that a living process is marked with, by its path.
pub(super) fn marked_below(base: &Path) -> HashMap<PathBuf, i32> {
    let start = format!("{MARK}={}/", base.display());
    let mark = |p: Process| {
        let environ = std::fs::read(format!("/proc/{}/environ", p.pid)).ok()?;
        let entry = environ.split(|b| *b == 0).find(|e| e.starts_with(start.as_bytes()))?;
        Some((PathBuf::from(String::from_utf8_lossy(&entry[MARK.len() + 1..]).into_owned()), p.pid))
    };
    processes().filter_map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pid: i32, parent: i32, group: i32, session: i32, marked: bool) -> Process {
        Process { pid, parent, group, session, pages: 1, marked }
    }

    fn pids(all: &[Process]) -> Vec<i32> {
        belonging(all, (9, 9)).iter().map(|p| p.pid).collect()
    }

    #[test]
    fn children_groups_and_sessions_of_a_marked_process_belong_to_it() {
        let all = [
            at(1, 0, 1, 1, true),
            at(20, 1, 20, 20, true),
            at(21, 20, 21, 21, false),
            at(22, 1, 20, 8, false),
            at(23, 1, 23, 20, false),
            at(24, 21, 24, 24, false),
            at(30, 1, 30, 30, false),
        ];
        assert_eq!(pids(&all), [20, 21, 22, 23, 24]);
    }

    #[test]
    fn what_shares_our_own_group_or_session_is_not_taken_for_it() {
        assert_eq!(pids(&[at(20, 9, 9, 9, true), at(9, 1, 9, 9, false), at(40, 9, 9, 9, false)]), [20]);
    }

    #[test]
    fn a_hostile_name_does_not_shift_the_fields() {
        let fields: Vec<String> = (5..=52).map(|n| n.to_string()).collect();
        let stat = format!("7 (a) R 1 (b) S 3 {}", fields.join(" "));
        let found = process(7, stat.as_bytes()).unwrap();
        assert_eq!((found.parent, found.group, found.session, found.pages), (3, 5, 6, 24));
        assert!(process(7, stat.replace(") S", ") Z").as_bytes()).is_none());
        assert!(process(7, b"7 (a").is_none());
    }
}
