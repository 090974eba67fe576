//! The system calls that a container may make: no more than Docker's own list leaves a process without capabilities, and
//! of the families of sockets only those that need a network device or stay in the container.

use super::SandboxError;
use bollard::models::SystemVersion;
use std::io::Write;
use std::path::Path;
use tempfile::TempPath;

/// The list, in the form that Docker and podman read. It takes the place of theirs.
pub(super) const PROFILE: &str = include_str!("seccomp.json");

/// How a daemon is given the list.
#[derive(Debug)]
pub(super) enum Profile {
    /// As text.
    Text,
    /// As the path of a file, which podman reads itself.
    File(TempPath),
}

impl Profile {
    /// The way of the daemon that says this of itself.
    pub(super) fn for_daemon(about: &SystemVersion) -> Result<Profile, SandboxError> {
        let parts = about.components.iter().flatten();
        if !parts.map(|part| part.name.to_lowercase()).any(|name| name.contains("podman")) {
            return Ok(Profile::Text);
        }
        let io = || SandboxError::io("write the list of system calls for podman");
        let mut file = tempfile::Builder::new().prefix("tsbench-seccomp-").suffix(".json").tempfile().map_err(io())?;
        file.write_all(PROFILE.as_bytes()).map_err(io())?;
        Ok(Profile::File(file.into_temp_path()))
    }

    /// The option of a container.
    pub(super) fn option(&self) -> String {
        match self {
            Profile::Text => format!("seccomp={PROFILE}"),
            Profile::File(path) => format!("seccomp={}", AsRef::<Path>::as_ref(path).display()),
        }
    }
}

/// A daemon's answer as the error about the list, if it is one.
pub(super) fn refusal(answer: &str) -> Option<SandboxError> {
    // The answer of podman may hold the whole list.
    let cause: String = answer.chars().take(300).collect();
    answer.to_lowercase().contains("seccomp").then_some(SandboxError::NoSeccomp { cause })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bollard::models::SystemVersionComponents;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn rules() -> Vec<Value> {
        let profile: Value = serde_json::from_str(PROFILE).unwrap();
        assert_eq!(profile["defaultAction"], "SCMP_ACT_ERRNO");
        profile["syscalls"].as_array().unwrap().clone()
    }

    fn names(rule: &Value) -> Vec<&str> {
        rule["names"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect()
    }

    #[test]
    fn only_sockets_that_stay_inside_or_need_a_device_can_be_made() {
        let rules = rules();
        let families = |name: &str| -> Vec<u64> {
            let allowed = rules.iter().filter(|rule| rule["action"] == "SCMP_ACT_ALLOW");
            let own = allowed.filter(|rule| names(rule).contains(&name));
            own.map(|rule| {
                let args = rule["args"].as_array().unwrap();
                assert_eq!(
                    (args.len(), &args[0]["index"], args[0]["op"].as_str()),
                    (1, &0.into(), Some("SCMP_CMP_EQ"))
                );
                args[0]["value"].as_u64().unwrap()
            })
            .collect()
        };
        assert_eq!((families("socket"), families("socketpair")), (vec![1, 2, 10, 16], vec![1]));
    }

    #[test]
    fn what_needs_a_capability_or_gets_past_the_list_is_not_allowed() {
        let rules = rules();
        let allowed: BTreeSet<&str> =
            rules.iter().filter(|rule| rule["action"] == "SCMP_ACT_ALLOW").flat_map(names).collect();
        let denied = "acct add_key bpf chroot clock_settime clone3 delete_module fanotify_init finit_module fsconfig \
            fsmount fsopen fspick init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl ipc kcmp \
            kexec_file_load kexec_load keyctl lookup_dcookie mbind modify_ldt mount mount_setattr move_mount \
            nfsservctl open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root process_madvise quotactl \
            quotactl_fd reboot request_key setdomainname sethostname setns settimeofday socketcall swapoff swapon \
            sysfs syslog umount umount2 unshare uselib userfaultfd ustat vhangup vm86 vm86old";
        for name in denied.split_whitespace() {
            assert!(!allowed.contains(name), "{name}");
        }
        for name in ["ptrace", "process_vm_readv", "process_vm_writev"] {
            let rule = rules.iter().find(|rule| names(rule).contains(&name)).unwrap();
            assert_eq!(rule["includes"]["minKernel"], "4.8", "{name}");
        }
        let clone = rules.iter().find(|rule| names(rule) == ["clone"]).unwrap();
        let (new, op) = (&clone["args"][0]["value"], &clone["args"][0]["op"]);
        assert_eq!((new.as_u64(), op.as_str()), (Some(0x7e02_0000), Some("SCMP_CMP_MASKED_EQ")), "no CLONE_NEW*");
    }

    #[test]
    fn no_older_way_of_calling_leads_round_the_list() {
        let profile: Value = serde_json::from_str(PROFILE).unwrap();
        for machine in profile["archMap"].as_array().unwrap() {
            assert_eq!(machine["subArchitectures"].as_array().map(Vec::len), Some(0), "{machine}");
        }
    }

    #[test]
    fn podman_is_given_a_file_and_docker_the_text() {
        let about = |name: &str| SystemVersion {
            components: Some(vec![SystemVersionComponents { name: name.to_owned(), ..Default::default() }]),
            ..SystemVersion::default()
        };
        let docker = Profile::for_daemon(&about("Engine")).unwrap().option();
        assert!(docker.starts_with("seccomp={") && docker.contains("\"defaultAction\""));
        let podman = Profile::for_daemon(&about("Podman Engine")).unwrap();
        let path = podman.option().strip_prefix("seccomp=").unwrap().to_owned();
        assert_eq!(std::fs::read_to_string(path).unwrap(), PROFILE);
    }

    #[test]
    fn a_daemon_that_cannot_apply_the_list_is_told_with_a_remedy() {
        let answer = "seccomp is not enabled in your kernel, cannot run a custom seccomp profile";
        let error = refusal(answer).unwrap().to_string();
        assert!(error.contains(answer) && error.contains("\nhint: "), "{error}");
        assert!(refusal("no space left on device").is_none());
    }
}
