//! What a container may use and do, pure.

use super::seccomp::Profile;
use super::{SandboxError, Spec, files, keeper};
use bollard::models::{ContainerCreateBody, HealthConfig, HostConfig, HostConfigCgroupnsModeEnum, HostConfigLogConfig};
use bollard::models::{Mount, MountType, MountVolumeOptions, ResourcesUlimits};
use std::collections::HashMap;

/// Processes that a container needs beside those of its commands.
const OUR_PROCESSES: u64 = 8;
/// Files that a process may have open: enough for watchers of large trees, and below what any daemon may give.
const OPEN_FILES: u64 = 16_384;
const MIB: u64 = 1 << 20;

/// What volumes of caches are called, before the name of each, and their labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Volumes {
    pub prefix: String,
    pub labels: HashMap<String, String>,
}

/// Everything about the container of a sandbox.
pub(super) fn container(
    spec: &Spec,
    volumes: &Volumes,
    profile: &Profile,
) -> Result<ContainerCreateBody, SandboxError> {
    Ok(ContainerCreateBody {
        image: Some(spec.image.clone()),
        user: Some("0:0".to_owned()),
        entrypoint: Some(["/bin/sh", "-c", keeper::SCRIPT, "keeper"].map(str::to_owned).to_vec()),
        cmd: Some(Vec::new()),
        working_dir: Some("/".to_owned()),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        open_stdin: Some(true),
        stdin_once: Some(true),
        tty: Some(false),
        healthcheck: Some(HealthConfig { test: Some(vec!["NONE".to_owned()]), ..HealthConfig::default() }),
        labels: Some(spec.lease.labels()),
        host_config: Some(host(spec, volumes, profile)?),
        ..ContainerCreateBody::default()
    })
}

fn host(spec: &Spec, volumes: &Volumes, profile: &Profile) -> Result<HostConfig, SandboxError> {
    let limits = &spec.limits;
    let memory = signed(limits.memory_mb.saturating_mul(MIB));
    let ulimit = |name: &str, most: u64| ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(signed(most)),
        hard: Some(signed(most)),
    };
    Ok(HostConfig {
        network_mode: Some(if spec.network { "bridge" } else { "none" }.to_owned()),
        cap_drop: Some(vec!["ALL".to_owned()]),
        cap_add: Some(vec!["KILL".to_owned()]), // of the keeper; a command of another user than root has none
        security_opt: Some(vec!["no-new-privileges".to_owned(), profile.option()]),
        privileged: Some(false),
        ipc_mode: Some("private".to_owned()),
        cgroupns_mode: Some(HostConfigCgroupnsModeEnum::PRIVATE),
        memory: Some(memory),
        memory_swap: Some(memory), // no swap: the sum of both
        nano_cpus: Some(signed(limits.cpu_thousandths.saturating_mul(1_000_000))),
        pids_limit: Some(signed(limits.processes.saturating_add(OUR_PROCESSES))),
        ulimits: Some(vec![
            ulimit("nofile", OPEN_FILES),
            ulimit("fsize", limits.disk_mb.saturating_mul(MIB)),
            ulimit("core", 0),
            // The container's own count holds the processes; without this podman asks for more than a machine may allow.
            ulimit("nproc", OPEN_FILES),
        ]),
        shm_size: Some(signed(64 * MIB)),
        init: Some(true),         // reaps what commands leave behind
        auto_remove: Some(false), // so that a container that died can be asked why
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        mounts: Some(mounts(spec, volumes)?),
        ..HostConfig::default()
    })
}

fn mounts(spec: &Spec, volumes: &Volumes) -> Result<Vec<Mount>, SandboxError> {
    let caches = spec.caches.iter().map(|(name, path)| cache(name, path, volumes));
    let mut mounts: Vec<Mount> = caches.collect::<Result<_, _>>()?;
    if let Some(folder) = &spec.sockets {
        mounts.push(Mount {
            typ: Some(MountType::BIND),
            source: Some(folder.display().to_string()),
            target: Some(super::SOCKETS.to_owned()),
            read_only: Some(true),
            ..Mount::default()
        });
    }
    Ok(mounts)
}

/// A named volume at an absolute path. A name with a slash would be a folder of the host.
fn cache(name: &str, path: &str, volumes: &Volumes) -> Result<Mount, SandboxError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) || !name.chars().all(plain) {
        return Err(SandboxError::BadInput { what: format!("the volume {name:?}: a name of letters, digits, - _ .") });
    }
    Ok(Mount {
        typ: Some(MountType::VOLUME),
        source: Some(format!("{}-{name}", volumes.prefix)),
        volume_options: Some(MountVolumeOptions {
            labels: Some(volumes.labels.clone()),
            ..MountVolumeOptions::default()
        }),
        target: Some(files::checked_inside(path)?),
        ..Mount::default()
    })
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Lease;
    use crate::schema::Limits;
    use std::time::Duration;

    fn spec() -> Spec {
        Spec {
            image: "i".to_owned(),
            network: false,
            limits: Limits { memory_mb: 3, cpu_thousandths: 1500, processes: 5, disk_mb: 7, ..Limits::default() },
            lease: Lease::new("r", "t", Duration::from_secs(1)).unwrap(),
            caches: Vec::new(),
            sockets: None,
        }
    }

    #[test]
    fn a_container_gets_no_network_no_swap_and_nothing_more_than_its_limits() {
        let host = host(&spec(), &Volumes::default(), &Profile::Text).unwrap();
        assert_eq!(host.network_mode.as_deref(), Some("none"));
        assert_eq!((host.memory, host.memory_swap), (Some(3 << 20), Some(3 << 20)));
        assert_eq!((host.nano_cpus, host.pids_limit), (Some(1_500_000_000), Some(13)));
        assert_eq!(host.cap_drop, Some(vec!["ALL".to_owned()]));
        assert_eq!(host.binds, None);
        let options = host.security_opt.unwrap();
        assert!(options[0] == "no-new-privileges" && options[1].starts_with("seccomp={"), "{options:?}");
        let sizes: Vec<_> = host.ulimits.unwrap().into_iter().map(|u| (u.name.unwrap(), u.hard.unwrap())).collect();
        assert_eq!(sizes[1..3], [("fsize".to_owned(), 7 << 20), ("core".to_owned(), 0)]);
    }

    #[test]
    fn the_only_folder_of_the_host_is_that_of_sockets_and_nothing_can_be_written_there() {
        assert_eq!(host(&spec(), &Volumes::default(), &Profile::Text).unwrap().mounts, Some(Vec::new()));
        let with = Spec { sockets: Some("/tmp/door".into()), ..spec() };
        let mounts = host(&with, &Volumes::default(), &Profile::Text).unwrap().mounts.unwrap();
        assert_eq!((mounts.len(), mounts[0].read_only, mounts[0].typ), (1, Some(true), Some(MountType::BIND)));
        assert_eq!(mounts[0].target.as_deref(), Some("/run/tsbench"));
    }

    #[test]
    fn limits_without_bound_do_not_overflow() {
        let mut spec = spec();
        spec.limits.memory_mb = u64::MAX;
        spec.limits.processes = u64::MAX;
        assert_eq!(host(&spec, &Volumes::default(), &Profile::Text).unwrap().memory, Some(i64::MAX));
    }

    #[test]
    fn a_cache_is_a_volume_and_never_a_folder_of_the_host() {
        for (name, path, good) in [
            ("npm", "/caches/npm", true),
            ("/etc", "/caches/x", false),
            ("../x", "/caches/x", false),
            ("", "/caches/x", false),
            ("ok", "caches", false),
            ("ok", "/a/../b", false),
        ] {
            assert_eq!(cache(name, path, &Volumes::default()).is_ok(), good, "{name} {path}");
        }
    }
}
