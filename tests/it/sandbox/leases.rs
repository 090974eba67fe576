//! What is left of a harness that was killed.

use super::shared::{self, Place};
use super::{docker, local};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;
use tsbench::sandbox::{Command, LocalHost, Provider, SandboxError};

const ROLE: &str = "TSBENCH_TEST_OWNER";

/// In a process of its own: open a sandbox, run something in it, and be killed meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn an_owner_runs_until_it_is_killed() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (kind, mark, folder) =
        (role.split('|').next(), role.split('|').nth(1).unwrap(), role.split('|').nth(2).unwrap());
    let place = match kind {
        Some("docker") => docker::place("").await.unwrap(),
        _ => {
            let host = LocalHost::new(folder.as_ref(), "/usr/bin:/bin").unwrap();
            Place { provider: Provider::Local(host), image: String::new(), folder: None }
        }
    };
    let mut sandbox = place.open().await;
    println!("\nREADY");
    let finished = sandbox.exec(&Command { seconds: 300, ..Command::shell(&format!("sleep {mark}")) }).await;
    panic!("{finished:?}");
}

/// Start such a process, kill it once its command runs, and give its number.
async fn killed_owner(kind: &str, mark: &str, folder: &str) -> u32 {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sandbox::leases::an_owner_runs_until_it_is_killed", "--nocapture"])
        .env(ROLE, format!("{kind}|{mark}|{folder}"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|l| l == "READY"), "the owner did not start");
    while shared::with_argument(mark).is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    child.id()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_ends_with_its_owner_and_the_sweep_removes_it() {
    let name = "a_container_ends_with_its_owner_and_the_sweep_removes_it";
    let Some(place) = docker::place(name).await else { return };
    let mut alive = place.open().await;
    let mark = shared::sleep_of_ours();
    let pid = killed_owner("docker", &mark, "").await;
    for _ in 0..500 {
        if shared::with_argument(&mark).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(shared::with_argument(&mark).is_empty(), "it ends even before a sweep");
    let swept = place.provider.sweep().await.unwrap();
    assert!(swept.sandboxes.iter().any(|n| n.contains(&format!("-{pid}-"))), "{swept:?}");
    assert_eq!(shared::printed(&mut alive, "echo well").await, "well\n", "one of a living owner was swept");
    alive.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_docker_the_sweep_ends_what_a_killed_owner_left() {
    let place = local::place("").await.unwrap();
    let mut alive = place.open().await;
    let folder = place.folder.as_ref().unwrap().path().to_str().unwrap().to_owned();
    let mark = shared::sleep_of_ours();
    let pid = killed_owner("local", &mark, &folder).await;
    assert!(!shared::with_argument(&mark).is_empty(), "nobody has ended it yet");
    let swept = place.provider.sweep().await.unwrap();
    assert!(matches!(&swept.sandboxes[..], [one] if one.contains(&format!("-{pid}-"))), "{swept:?}");
    assert!(shared::with_argument(&mark).is_empty());
    assert_eq!(shared::printed(&mut alive, "echo well").await, "well\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_ran_out_is_swept_although_its_owner_lives() {
    let place = local::place("").await.unwrap();
    let mut spec = place.spec(|_| {});
    spec.lease.expires = 1;
    let mut over = place.provider.open(&spec).await.unwrap();
    assert_eq!(place.provider.sweep().await.unwrap().sandboxes.len(), 1);
    let result = over.exec(&Command::shell("true")).await;
    assert!(matches!(result, Err(SandboxError::Lost { .. })), "{result:?}");
}
