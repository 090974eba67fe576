use super::shared::{self, Place, printed, shell};
use std::path::Path;
use std::time::Duration;
use tokio::sync::OnceCell;
use tsbench::sandbox::{Body, Command, DockerHost, End, File, Patience, Provider, SandboxError, Spec, User};

/// The image that the tests start from.
pub const IMAGE: &str = "tsbench/base:1";

static IMAGE_IS_THERE: OnceCell<()> = OnceCell::const_new();

/// Docker, or a loud skip.
pub async fn place(test: &str) -> Option<Place> {
    let host = match DockerHost::connect(None, Patience::default()).await {
        Ok(host) => host.with_images_of(&format!("test-{test}")), // the user's own are left alone
        Err(_) => {
            crate::needs::skipped("Docker");
            return None;
        }
    };
    let provider = Provider::Docker(host);
    let build = async {
        if provider.image(IMAGE).await.unwrap().is_none() {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/images");
            let built = tokio::process::Command::new(script).arg("base").output().await.unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        }
    };
    IMAGE_IS_THERE.get_or_init(|| build).await;
    Some(Place { provider, image: IMAGE.to_owned(), folder: None })
}

shared::same_everywhere!(place);

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_the_container_can_be_reached() {
    let Some(place) = place("nothing_but_the_container_can_be_reached").await else { return };
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut sandbox = place.open().await;
    assert_eq!(printed(&mut sandbox, "ls /sys/class/net").await, "lo\n");
    assert_eq!(printed(&mut sandbox, "tail -n +2 /proc/net/route").await, "");
    for host in ["172.17.0.1", "127.0.0.1", "10.0.0.1", "1.1.1.1"] {
        let line = format!("timeout 5 bash -c 'exec 3<>/dev/tcp/{host}/{port}'");
        assert_ne!(shell(&mut sandbox, &line, 20).await.end, End::Exit(0), "{host}");
    }
    let sockets = "find / -xdev -type s 2>/dev/null; ls /var/run/docker.sock /run/docker.sock 2>/dev/null; true";
    assert_eq!(printed(&mut sandbox, sockets).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_is_there_where_it_is_asked_for() {
    let Some(place) = place("a_network_is_there_where_it_is_asked_for").await else { return };
    let mut sandbox = place.provider.open(&Spec { network: true, ..place.spec(|_| {}) }).await.unwrap();
    assert_eq!(printed(&mut sandbox, "ls /sys/class/net").await, "eth0\nlo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_has_no_capability_and_can_get_none() {
    let Some(place) = place("a_command_has_no_capability_and_can_get_none").await else { return };
    let mut sandbox = place.open().await;
    let status =
        printed(&mut sandbox, "id -u; id -g; grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status")
            .await;
    let fields: Vec<&str> = status.split_whitespace().collect();
    let none = "0000000000000000";
    let expected = ["1000", "1000", "CapInh:", none, "CapPrm:", none, "CapEff:", none, "CapAmb:", none];
    assert_eq!(fields[..10], expected);
    assert_eq!(fields[10..], ["NoNewPrivs:", "1", "Seccomp:", "2"]);
    for line in [
        "mknod /tmp/d b 8 0",
        "chown 0 /workspace",
        "su -c true",
        "mount -t tmpfs x /mnt",
        "touch /etc/x",
        "chroot / true",
        "unshare -U true",
    ] {
        assert!(!shell(&mut sandbox, line, 20).await.end.good(), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_command_may_write_outside_but_has_no_other_power() {
    let Some(place) = place("a_root_command_may_write_outside_but_has_no_other_power").await else { return };
    let mut sandbox = place.open().await;
    let line = "id -u; touch /opt/mine && echo written; mknod /tmp/d b 8 0 2>/dev/null || echo refused";
    let finished = sandbox.exec(&Command { user: User::Root, ..Command::shell(line) }).await.unwrap();
    assert_eq!(finished.stdout.text(), "0\nwritten\nrefused\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keeper_is_out_of_reach_of_commands() {
    let Some(place) = place("the_keeper_is_out_of_reach_of_commands").await else { return };
    let mut sandbox = place.open().await;
    shell(&mut sandbox, "kill -9 -1", 20).await;
    let line = "for p in /proc/[0-9]*; do p=${p#/proc/}; kill -9 $p; kill -STOP $p; done; cat /proc/1/environ; ls -l /proc/7/fd; true";
    shell(&mut sandbox, line, 20).await;
    assert_eq!(printed(&mut sandbox, "echo well").await, "well\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_killed_for_memory_is_told_even_if_its_parent_lives() {
    let Some(place) = place("a_child_killed_for_memory_is_told_even_if_its_parent_lives").await else { return };
    let mut sandbox = place.open().await;
    let hog = "perl -e 'my $x = q(x) x (1 << 30); sleep 9'";
    let failed = shell(&mut sandbox, &format!("{hog}; exit 1"), 60).await;
    assert_eq!((failed.end, failed.memory_kills), (End::OutOfMemory, 1));
    let survived = shell(&mut sandbox, &format!("{hog}; echo went on"), 60).await;
    assert_eq!((survived.end, survived.memory_kills), (End::Exit(0), 1));
    assert_eq!(shell(&mut sandbox, "exit 1", 60).await.end, End::Exit(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_belong_to_the_agent_and_stay_inside_whatever_links_there_are() {
    let Some(place) = place("files_belong_to_the_agent_and_stay_inside_whatever_links_there_are").await else { return };
    let mut sandbox = place.open().await;
    let host = tempfile::tempdir().unwrap();
    printed(&mut sandbox, &format!("ln -s {} out; ln -s /etc etc", host.path().display())).await;
    for (name, into) in [("x", "/workspace/out"), ("y/x", "/workspace/etc"), ("etc/x", "/workspace")] {
        let result = sandbox.put(&[File::new(name, "new")], into).await;
        assert!(matches!(result, Err(SandboxError::BadEntry { .. })), "{name}: {result:?}");
    }
    assert_eq!(std::fs::read_dir(host.path()).unwrap().count(), 0);
    printed(&mut sandbox, "mkdir -m 700 private; ln -s /etc/passwd file").await;
    sandbox.put(&[File::new("private/x", "new"), File::new("file", "new")], "/workspace").await.unwrap();
    let shown = printed(&mut sandbox, "stat -c '%a %F' private file; cat file").await;
    assert_eq!(shown, "700 directory\n644 regular file\nnew");
    sandbox.put(&[File::new("deep/x", "new")], "/workspace/a").await.unwrap();
    assert_eq!(printed(&mut sandbox, "stat -c '%u:%g %Y' a a/deep a/deep/x | sort -u").await, "1000:1000 946684800\n");
    let link = sandbox.get("/workspace/etc", 1 << 20).await;
    assert!(matches!(link, Err(SandboxError::BadEntry { .. })), "{link:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_is_a_start_and_can_be_evicted() {
    let Some(place) = place("a_snapshot_is_a_start_and_can_be_evicted").await else { return };
    let name = format!("tsbench-test/snapshot:{}", std::process::id());
    shared::snapshot(&place, &name).await;
    tokio::time::sleep(Duration::from_millis(500)).await; // its last container is being removed
    let removed = place.provider.evict(0).await.unwrap();
    assert_eq!(removed, std::slice::from_ref(&name), "all of its kind, and nothing else");
    assert_eq!(place.provider.image(&name).await.unwrap(), None);
    assert!(place.provider.image(IMAGE).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_is_built_from_files_and_a_failure_shows_the_log() {
    let Some(place) = place("an_image_is_built_from_files_and_a_failure_shows_the_log").await else { return };
    let name = format!("tsbench-test/built:{}", std::process::id());
    let context = |last: &str| {
        let lines = format!("FROM {IMAGE}\nCOPY --chown=agent a /workspace/a\nRUN {last}\n");
        [File::new("Dockerfile", lines), File { path: "a".to_owned(), mode: 0o755, body: Body::Bytes(b"x".to_vec()) }]
    };
    let image = place.provider.build_image(&name, &context("echo built >/workspace/b")).await.unwrap();
    let mut sandbox = place.provider.open(&Spec { image: image.id, ..place.spec(|_| {}) }).await.unwrap();
    assert_eq!(printed(&mut sandbox, "cat a b; stat -c %a a").await, "xbuilt\n755\n");
    sandbox.close().await.unwrap();
    let failed = place.provider.build_image(&format!("{name}-not"), &context("echo because; exit 7")).await;
    let Err(SandboxError::Build { cause, log, .. }) = failed else { panic!("{failed:?}") };
    assert!(cause.contains('7') && log.contains("because"), "{cause} {log}");
    assert_eq!(place.provider.evict(u64::MAX).await.unwrap(), [] as [String; 0]);
    assert_eq!(place.provider.evict(0).await.unwrap(), [name]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_is_removed_is_lost() {
    let Some(place) = place("a_container_that_is_removed_is_lost").await else { return };
    let docker = bollard::Docker::connect_with_unix_defaults().unwrap();
    let mut sandbox = place.open().await;
    let id = printed(&mut sandbox, "hostname").await.trim().to_owned();
    let options = bollard::query_parameters::RemoveContainerOptionsBuilder::default().force(true).build();
    let command = Command::shell("sleep 30");
    let (result, removed) = tokio::join!(sandbox.exec(&command), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        docker.remove_container(&id, Some(options)).await
    });
    removed.unwrap();
    assert!(matches!(result, Err(SandboxError::Lost { .. })), "{result:?}");
    let later = sandbox.exec(&Command::shell("true")).await;
    assert!(matches!(later, Err(SandboxError::Lost { .. })), "{later:?}");
    assert!(matches!(sandbox.get("/workspace", 1).await, Err(SandboxError::Lost { .. })));
    sandbox.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_does_not_answer_is_no_time_out_of_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let listener = tokio::net::UnixListener::bind(&socket).unwrap();
    let silent = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    let patience = Patience { answer: Duration::from_secs(1), ..Patience::default() };
    let result = DockerHost::connect(Some(&format!("unix://{}", socket.display())), patience).await;
    assert!(matches!(result, Err(SandboxError::Timeout { seconds: 1, .. })), "{result:?}");
    silent.abort();
}

#[tokio::test]
async fn no_daemon_is_named_with_a_remedy() {
    let result = DockerHost::connect(Some("unix:///nowhere/docker.sock"), Patience::default()).await;
    let Err(error @ SandboxError::NoDocker { .. }) = result else { panic!("{result:?}") };
    assert!(error.to_string().contains("hint: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_ours_can_be_read_and_run_and_not_changed() {
    let Some(place) = place("what_is_ours_can_be_read_and_run_and_not_changed").await else { return };
    let mut sandbox = place.open().await;
    let tool = File { mode: 0o755, ..File::new("say.sh", "echo said\n") };
    for _ in 0..2 {
        sandbox.put_ours(std::slice::from_ref(&tool), "/opt/ours").await.unwrap(); // also over an earlier copy
    }
    assert_eq!(printed(&mut sandbox, "sh /opt/ours/say.sh").await, "said\n");
    for line in ["echo x >/opt/ours/say.sh", "rm /opt/ours/say.sh", "mv /opt/ours /opt/other", "touch /opt/ours/more"] {
        assert_ne!(shell(&mut sandbox, line, 20).await.end, End::Exit(0), "{line}");
    }
    assert_eq!(printed(&mut sandbox, "sh /opt/ours/say.sh").await, "said\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cache_outlives_its_sandbox() {
    let Some(place) = place("a_cache_outlives_its_sandbox").await else { return };
    let spec = || Spec { caches: vec![("test".to_owned(), "/home/agent/cache".to_owned())], ..place.spec(|_| {}) };
    let mut first = place.provider.open(&spec()).await.unwrap();
    assert_eq!(printed(&mut first, "echo kept >/home/agent/cache/a && stat -c %u /home/agent/cache").await, "1000\n");
    first.close().await.unwrap();
    let mut second = place.provider.open(&spec()).await.unwrap();
    assert_eq!(printed(&mut second, "cat /home/agent/cache/a").await, "kept\n");
    second.close().await.unwrap();
    let suffix = format!("-{}-", std::process::id());
    assert!(volumes().iter().any(|v| v.contains(&suffix) && v.ends_with("-test")), "{:?}", volumes());
    drop(place);
    assert!(!volumes().iter().any(|v| v.contains(&suffix) && v.ends_with("-test")), "{:?}", volumes());
}

/// The names of Docker's volumes.
pub fn volumes() -> Vec<String> {
    let listed = std::process::Command::new("docker").args(["volume", "ls", "--format", "{{.Name}}"]).output().unwrap();
    String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cache_is_kept_for_the_next_process_where_somebody_says_so() {
    if place("kept").await.is_none() {
        return;
    }
    let name = format!("kept-{}", std::process::id());
    let host = async || {
        let host = DockerHost::connect(None, Patience::default()).await.unwrap().keeping_downloads();
        let provider = Provider::Docker(host.with_images_of("test-kept"));
        Place { provider, image: IMAGE.to_owned(), folder: None }
    };
    for said in ["nothing\n", "kept\n"] {
        let place = host().await;
        let spec = Spec { caches: vec![(name.clone(), "/home/agent/cache".to_owned())], ..place.spec(|_| {}) };
        let mut sandbox = place.provider.open(&spec).await.unwrap();
        assert_eq!(printed(&mut sandbox, "cat /home/agent/cache/a 2>/dev/null || echo nothing").await, said);
        printed(&mut sandbox, "echo kept >/home/agent/cache/a").await;
        sandbox.close().await.unwrap();
        place.provider.sweep().await.unwrap();
    }
    let volume = format!("tsbench-{name}");
    assert!(volumes().contains(&volume), "{:?}", volumes());
    assert!(host().await.provider.forget_downloads().await.unwrap().contains(&volume));
    assert!(!volumes().contains(&volume));
}
