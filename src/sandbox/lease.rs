use super::SandboxError;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

const OWNER: &str = "tsbench.owner";
const HOST: &str = "tsbench.host";
const BOOT: &str = "tsbench.boot";
const RUN: &str = "tsbench.run";
const TASK: &str = "tsbench.task";
const EXPIRES: &str = "tsbench.expires";

/// The label that every sandbox of ours carries.
pub(super) const MARK: &str = OWNER;

/// The process that a sandbox belongs to. When it is gone, so is the reason for the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    /// Clock ticks after boot at which the process started: tells it from a later one with the same number.
    started: u64,
    host: String,
    boot: String,
}

impl Owner {
    /// This process.
    pub fn this() -> Result<Owner, SandboxError> {
        let pid = std::process::id();
        let started = start_of(pid).ok_or_else(|| SandboxError::BadInput {
            what: "a machine with /proc, which sandboxes need: /proc/self/stat cannot be read".to_owned(),
        })?;
        Ok(Owner {
            pid,
            started,
            host: line("/proc/sys/kernel/hostname"),
            boot: line("/proc/sys/kernel/random/boot_id"),
        })
    }

    /// A word for it in names, which no other process of this machine has had since it was started.
    pub(super) fn word(&self) -> String {
        let boot: String = self.boot.chars().filter(char::is_ascii_alphanumeric).take(6).collect();
        format!("{boot}-{}-{}", self.pid, self.started)
    }

    /// How the names of its containers begin.
    pub(super) fn names(&self) -> String {
        format!("tsbench-{}-", self.word())
    }

    /// Whether the process of a [`Owner::word`] certainly ended; `self` is this process, of this machine's present start.
    pub(super) fn knows_gone(&self, word: &str) -> bool {
        let boot = self.word().split_once('-').map(|(boot, _)| boot.to_owned());
        let mut parts = word.split('-');
        let (Some(of), Some(pid), Some(started)) = (parts.next(), parts.next(), parts.next()) else { return false };
        let (Ok(pid), Ok(started)) = (pid.parse::<u32>(), started.parse::<u64>()) else { return false };
        boot.as_deref() == Some(of) && has_ended(pid, started)
    }

    /// Whether it certainly ended; of another machine's processes that cannot be known.
    fn is_gone(&self, here: &Owner) -> bool {
        self.host == here.host && (self.boot != here.boot || has_ended(self.pid, self.started))
    }
}

fn line(path: &str) -> String {
    std::fs::read_to_string(Path::new(path)).unwrap_or_default().trim().to_owned()
}

/// Whether the process that started then is certainly there no more. Not to be able to look is no certainty.
fn has_ended(pid: u32, started: u64) -> bool {
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => start_in(&stat) != Some(started),
        // It ended before the file was opened, or while it was read.
        Err(e) => e.kind() == std::io::ErrorKind::NotFound || e.raw_os_error() == Some(3),
    }
}

/// Start of a process in clock ticks after boot: field 22 of its `stat`, counted after the name in parentheses.
pub(super) fn start_of(pid: u32) -> Option<u64> {
    start_in(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn start_in(stat: &[u8]) -> Option<u64> {
    let after_name = &stat[stat.iter().rposition(|b| *b == b')')? + 1..];
    std::str::from_utf8(after_name).ok()?.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Whom a sandbox belongs to, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The run.
    pub run: String,
    /// The task.
    pub task: String,
    /// The owner.
    pub owner: Owner,
    /// Unix time in seconds after which anyone may end it.
    pub expires: u64,
}

impl Lease {
    /// A lease of this process from now on.
    pub fn new(run: &str, task: &str, time: Duration) -> Result<Lease, SandboxError> {
        Ok(Lease { run: run.to_owned(), task: task.to_owned(), owner: Owner::this()?, expires: now() + time.as_secs() })
    }

    pub(super) fn labels(&self) -> HashMap<String, String> {
        let Owner { pid, started, host, boot } = &self.owner;
        [
            (OWNER, format!("{pid}-{started}")),
            (HOST, host.clone()),
            (BOOT, boot.clone()),
            (RUN, self.run.clone()),
            (TASK, self.task.clone()),
            (EXPIRES, self.expires.to_string()),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
    }

    /// Labels of nobody in the place of a lease's own: an image takes over what its container has, and a container that
    /// is started from it is no sandbox.
    pub(super) fn no_labels() -> HashMap<String, String> {
        [OWNER, HOST, BOOT, RUN, TASK, EXPIRES].map(|key| (key.to_owned(), String::new())).into()
    }

    /// The lease that labels tell of; none where they are not ours.
    pub(super) fn of(labels: &HashMap<String, String>) -> Option<Lease> {
        let get = |key: &str| labels.get(key).cloned();
        let (pid, started) = labels.get(OWNER)?.split_once('-')?;
        Some(Lease {
            run: get(RUN)?,
            task: get(TASK)?,
            owner: Owner { pid: pid.parse().ok()?, started: started.parse().ok()?, host: get(HOST)?, boot: get(BOOT)? },
            expires: labels.get(EXPIRES)?.parse().ok()?,
        })
    }

    /// Whether the sandbox may be ended by anyone.
    pub(super) fn is_over(&self, here: &Owner, now: u64) -> bool {
        self.expires < now || self.owner.is_gone(here)
    }
}

/// Unix time in seconds.
pub(super) fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease() -> Lease {
        Lease::new("r", "t", Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn a_lease_survives_its_labels() {
        assert_eq!(Lease::of(&lease().labels()), Some(lease()));
    }

    #[test]
    fn labels_of_others_are_no_lease() {
        assert_eq!(Lease::of(&HashMap::new()), None);
        let mut labels = lease().labels();
        labels.insert(OWNER.to_owned(), "someone".to_owned());
        assert_eq!(Lease::of(&labels), None);
        let mut of_image = lease().labels();
        of_image.extend(Lease::no_labels());
        assert_eq!(Lease::of(&of_image), None);
        assert!(of_image.values().all(String::is_empty), "no label of a lease is left: {of_image:?}");
    }

    #[test]
    fn a_lease_is_over_when_time_or_owner_is() {
        let here = Owner::this().unwrap();
        let running = lease();
        assert!(!running.is_over(&here, now()));
        assert!(running.is_over(&here, running.expires + 1));
        for change in [
            |o: &mut Owner| o.started += 1,
            |o: &mut Owner| o.pid = u32::MAX,
            |o: &mut Owner| o.boot = "another".to_owned(),
        ] {
            let mut gone = lease();
            change(&mut gone.owner);
            assert!(gone.is_over(&here, now()), "{gone:?}");
        }
    }

    #[test]
    fn the_word_of_a_process_tells_whether_it_is_gone() {
        let here = Owner::this().unwrap();
        assert!(!here.knows_gone(&format!("{}-003", here.word())));
        let gone = Owner { started: here.started + 1, ..here.clone() };
        assert!(here.knows_gone(&format!("{}-003", gone.word())));
        let far = Owner { boot: "another-start".to_owned(), ..gone };
        assert!(!here.knows_gone(&far.word()) && !here.knows_gone("") && !here.knows_gone("a-b-c"));
    }

    #[test]
    fn of_another_machine_only_time_tells() {
        let mut far = lease();
        far.owner.host = "elsewhere".to_owned();
        far.owner.started += 1;
        assert!(!far.is_over(&Owner::this().unwrap(), now()));
        assert!(far.is_over(&Owner::this().unwrap(), far.expires + 1));
    }

    #[test]
    fn a_start_is_read_behind_any_name() {
        let fields: Vec<String> = (3..=52).map(|n| n.to_string()).collect();
        let stat = format!("7 (a) b) 1 2 (\n) {}", fields.join(" "));
        assert_eq!(start_in(stat.as_bytes()), Some(22));
        assert_eq!(start_in(b"7 (x"), None);
    }
}
