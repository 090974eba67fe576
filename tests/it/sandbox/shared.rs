//! What holds in a container as well as without one.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tsbench::sandbox::{Body, Command, End, File, Finished, Lease, Provider, Sandbox, SandboxError, Spec};
use tsbench::schema::Limits;

/// Where to open sandboxes in a test, and from what.
pub struct Place {
    pub provider: Provider,
    pub image: String,
    /// A folder that goes with the test.
    pub folder: Option<tempfile::TempDir>,
}

pub type Box_ = Box<dyn Sandbox>;

impl Place {
    pub fn spec(&self, change: impl FnOnce(&mut Limits)) -> Spec {
        let mut limits = Limits { memory_mb: 256, processes: 128, disk_mb: 256, ..Limits::default() };
        change(&mut limits);
        let lease = Lease::new("test-run", "test-task", Duration::from_secs(600)).unwrap();
        Spec { image: self.image.clone(), network: false, limits, lease, caches: Vec::new(), sockets: None }
    }

    pub async fn open(&self) -> Box_ {
        self.open_with(|_| {}).await
    }

    pub async fn open_with(&self, change: impl FnOnce(&mut Limits)) -> Box_ {
        self.provider.open(&self.spec(change)).await.unwrap()
    }
}

pub async fn shell(sandbox: &mut Box_, line: &str, seconds: u64) -> Finished {
    sandbox.exec(&Command { seconds, ..Command::shell(line) }).await.unwrap()
}

/// What a command printed, which must have ended well.
pub async fn printed(sandbox: &mut Box_, line: &str) -> String {
    let finished = shell(sandbox, line, 60).await;
    assert_eq!(finished.end, End::Exit(0), "{}", finished.stderr.text());
    finished.stdout.text()
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Seconds of a sleep that no other process sleeps: how to find it again from outside.
pub fn sleep_of_ours() -> String {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("7{:05}.{number:04}", std::process::id() % 100_000)
}

/// Living processes of this machine, in containers too, that have this argument.
pub fn with_argument(argument: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten().map(|e| e.path());
    let has = |path: &PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|word| word == argument.as_bytes())
    };
    entries.filter(has).collect()
}

fn names(files: &[File]) -> Vec<&str> {
    files.iter().map(|f| f.path.as_str()).collect()
}

pub async fn outputs_and_code(place: &Place) {
    let mut sandbox = place.open().await;
    let finished = shell(&mut sandbox, "echo out; echo err >&2; exit 3", 60).await;
    assert_eq!((finished.end, finished.strays, finished.memory_kills), (End::Exit(3), false, 0));
    assert_eq!((finished.stdout.text().as_str(), finished.stderr.text().as_str()), ("out\n", "err\n"));
    let gone = sandbox.exec(&Command::new(["no-such-program"])).await.unwrap();
    assert!(matches!(gone.end, End::Exit(126 | 127)), "{gone:?}");
    assert_eq!(shell(&mut sandbox, "kill -SEGV $$", 60).await.end, End::Signal(11));
    sandbox.close().await.unwrap();
}

pub async fn words(place: &Place) {
    let mut sandbox = place.open().await;
    let hostile = ["a b", "$HOME", "; touch /tmp/pwned", "'\"\\", "*", "-n", "", "\u{fc}\n"];
    let mut command = Command::new(["printf", "<%s>"]);
    command.words.extend(hostile.map(str::to_owned));
    let finished = sandbox.exec(&command).await.unwrap();
    assert_eq!(finished.stdout.text(), hostile.map(|w| format!("<{w}>")).concat());
    for bad in [vec![], vec!["a\0b".to_owned()]] {
        let result = sandbox.exec(&Command { words: bad, ..Command::shell("") }).await;
        assert!(matches!(result, Err(SandboxError::BadInput { .. })), "{result:?}");
    }
}

pub async fn environment(place: &Place) {
    let secret = std::env::var("CARGO_MANIFEST_DIR").unwrap(); // in ours, like a key would be
    let mut sandbox = place.open().await;
    let mut command = Command::new(["env"]);
    command.env = vec![("OWN".to_owned(), "1".to_owned()), ("TZ".to_owned(), "Asia/Tokyo".to_owned())];
    let shown = sandbox.exec(&command).await.unwrap().stdout.text();
    assert!(!shown.contains(&secret) && !shown.contains("CARGO"), "{shown}");
    for line in ["OWN=1", "TZ=Asia/Tokyo", "LANG=C.UTF-8", "PYTHONHASHSEED=0", "CI=true"] {
        assert_eq!(shown.lines().filter(|l| *l == line).count(), 1, "{line} in {shown}");
    }
    assert!(!shown.contains("TZ=UTC"));
}

pub async fn input(place: &Place) {
    let mut sandbox = place.open().await;
    let stdin: Vec<u8> = (0..300_000u32).map(|n| n as u8).collect();
    let mut command = Command { stdin: stdin.clone(), output_bytes: 1 << 20, ..Command::new(["cat"]) };
    let finished = sandbox.exec(&command).await.unwrap();
    assert_eq!((finished.end, [finished.stdout.head, finished.stdout.tail].concat() == stdin), (End::Exit(0), true));
    command.words = vec!["true".to_owned()];
    assert_eq!(sandbox.exec(&command).await.unwrap().end, End::Exit(0));
    assert_eq!(printed(&mut sandbox, "cat; echo end").await, "end\n");
}

/// A bomb that doubles as often as the place can bear: without a limit of the kernel it must stay small.
pub async fn fork_bomb(place: &Place) {
    let mut sandbox = place.open_with(|l| l.processes = 64).await;
    let mark = sleep_of_ours();
    let depth = if sandbox.isolation() == "none" { 8 } else { 1_000_000 };
    let bomb = format!(
        "bomb() {{ [ $1 -gt 0 ] && {{ bomb $(($1 - 1)) & bomb $(($1 - 1)) & }}; sleep {mark}; }}; bomb {depth}; sleep {mark}"
    );
    let finished = shell(&mut sandbox, &bomb, 3).await;
    assert_ne!(finished.end, End::Exit(0));
    assert_eq!(with_argument(&mark), [] as [PathBuf; 0]);
    assert_eq!(printed(&mut sandbox, "echo well").await, "well\n");
}

pub async fn memory_hog(place: &Place) {
    let mut sandbox = place.open().await;
    let hog = "my @a; for (1..100) { push @a, 'x' x (16 << 20); select(undef, undef, undef, 0.02) } sleep 60";
    let finished = sandbox.exec(&Command::new(["perl", "-e", hog])).await.unwrap();
    assert_eq!((finished.end, finished.memory_kills > 0), (End::OutOfMemory, true), "{finished:?}");
    assert_eq!(printed(&mut sandbox, "echo well").await, "well\n");
}

pub async fn endless_output(place: &Place) {
    let mut sandbox = place.open().await;
    let command = Command { seconds: 2, output_bytes: 1000, ..Command::shell("echo first; yes; ") };
    let finished = sandbox.exec(&command).await.unwrap();
    assert_eq!(finished.end, End::TimedOut);
    assert_eq!((finished.stdout.head.len(), finished.stdout.tail.len()), (500, 500));
    assert!(finished.stdout.total > 100_000 && finished.stdout.head.starts_with(b"first\ny\n"));
    assert!(finished.stdout.text().contains("bytes cut"));
}

pub async fn disk_filler(place: &Place) {
    let mut sandbox = place.open_with(|l| l.disk_mb = 32).await;
    let one = shell(&mut sandbox, "head -c 64M /dev/zero >big", 30).await;
    assert!(!one.end.good(), "{one:?}");
    let many = "i=0; while :; do head -c 8M /dev/zero >f$i; i=$((i + 1)); sleep 0.1; done";
    assert_eq!(shell(&mut sandbox, many, 60).await.end, End::DiskLimit);
}

pub async fn daemon(place: &Place) {
    let mut sandbox = place.open().await;
    let mark = sleep_of_ours();
    let line = format!("setsid sleep {mark} & (setsid sh -c 'trap \"\" HUP TERM; sleep {mark}; :' &) ; echo done");
    let finished = shell(&mut sandbox, &line, 60).await;
    assert_eq!((finished.end, finished.strays, finished.stdout.text().as_str()), (End::Exit(0), true, "done\n"));
    assert!(finished.seconds < 30.0, "the daemon's hold on the output was waited for");
    assert_eq!(with_argument(&mark), [] as [PathBuf; 0]);
}

pub async fn time_out(place: &Place) {
    let mut sandbox = place.open().await;
    let mark = sleep_of_ours();
    let line = format!(
        "trap '' TERM INT HUP QUIT; echo begun; setsid sleep {mark} & sh -c 'sleep {mark}; :' & while :; do sleep {mark}; done"
    );
    let finished = shell(&mut sandbox, &line, 1).await;
    assert_eq!((finished.end, finished.stdout.text().as_str()), (End::TimedOut, "begun\n"));
    assert_eq!(with_argument(&mark), [] as [PathBuf; 0]);
    assert_eq!(printed(&mut sandbox, "echo well").await, "well\n");
}

pub async fn closed_outputs(place: &Place) {
    let mut sandbox = place.open().await;
    let finished = shell(&mut sandbox, "exec >&- 2>&-; sleep 1.2; exit 4", 60).await;
    assert_eq!((finished.end, finished.strays), (End::Exit(4), false));
}

pub async fn dropped_call(place: &Place) {
    let mut sandbox = place.open().await;
    let mark = sleep_of_ours();
    {
        let command = Command::shell(&format!("sleep {mark}"));
        let mut call = pin!(sandbox.exec(&command));
        let begun = async {
            while with_argument(&mark).is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            result = &mut call => panic!("{result:?}"),
            () = begun => {}
        }
    }
    assert_eq!(printed(&mut sandbox, "echo well").await, "well\n");
    assert_eq!(with_argument(&mark), [] as [PathBuf; 0]);
}

pub async fn round_trip(place: &Place) {
    let mut sandbox = place.open().await;
    let file = |path: &str, mode, body| File { path: path.to_owned(), mode, body };
    let files = vec![
        file("a", 0o755, Body::Dir),
        file("a/run.sh", 0o755, Body::Bytes(b"#!/bin/sh\necho ran\n".to_vec())),
        file("a/secret", 0o600, Body::Bytes(vec![0, 255, 10])),
        file("a/to", 0o777, Body::Link("../b \u{e4}/c".to_owned())),
        file("b \u{e4}", 0o700, Body::Dir),
        file("b \u{e4}/c", 0o644, Body::Bytes(Vec::new())),
        file(&format!("{}/long", "d".repeat(200)), 0o644, Body::Bytes(b"x".to_vec())),
    ];
    sandbox.put(&files, "/workspace/new/folder").await.unwrap();
    let mut got = sandbox.get("/workspace/new/folder", 1 << 20).await.unwrap();
    got.retain(|f| !(f.path.starts_with("ddd") && f.body == Body::Dir));
    got.sort_by(|a, b| a.path.cmp(&b.path));
    assert_eq!(got, files);
    assert_eq!(
        printed(&mut sandbox, "cd new/folder && ./a/run.sh && echo more >>a/secret && touch a/x").await,
        "ran\n"
    );
    let one = sandbox.get("/workspace/new/folder/a/secret", 1000).await.unwrap();
    assert_eq!(one, [file("secret", 0o600, Body::Bytes(b"\0\xff\nmore\n".to_vec()))]);
    let none = sandbox.get("/workspace/none", 1000).await;
    assert!(matches!(none, Err(SandboxError::NotFound { .. })), "{none:?}");
    for bad in ["../x", "/etc/x", "a/../../x", "nul\0"] {
        let result = sandbox.put(&[File::new(bad, "x")], "/workspace").await;
        assert!(matches!(result, Err(SandboxError::BadEntry { .. })), "{bad}: {result:?}");
    }
    for bad in ["workspace", "/workspace/../etc", ""] {
        assert!(matches!(sandbox.get(bad, 1000).await, Err(SandboxError::BadEntry { .. })), "{bad}");
    }
}

pub async fn hostile_output(place: &Place) {
    let mut sandbox = place.open().await;
    for (number, line) in [
        "ln -s /etc/passwd link",
        "ln -s ../../../etc/passwd link",
        "mkdir d; ln -s ../../x d/link",
        "mkfifo pipe",
        "touch \"$(printf 'bad\\377')\"",
    ]
    .iter()
    .enumerate()
    {
        printed(&mut sandbox, &format!("mkdir out{number}; cd out{number}; {line}")).await;
        let result = sandbox.get(&format!("/workspace/out{number}"), 1 << 20).await;
        assert!(matches!(result, Err(SandboxError::BadEntry { .. })), "{line}: {result:?}");
    }
    printed(&mut sandbox, "mkdir good; cd good; echo x >a; ln a b; ln -s a c").await;
    let good = sandbox.get("/workspace/good", 1 << 20).await.unwrap();
    let bytes = good.iter().filter(|f| f.body == Body::Bytes(b"x\n".to_vec())).count();
    assert_eq!((names(&good), bytes), (vec!["a", "b", "c"], 2));
}

pub async fn huge_file(place: &Place) {
    let mut sandbox = place.open().await;
    printed(&mut sandbox, "mkdir out; head -c 40M /dev/zero >out/a; truncate -s 200M out/b").await;
    let result = sandbox.get("/workspace/out", 1 << 20).await;
    assert!(matches!(result, Err(SandboxError::TooLarge { most: 1_048_576, .. })), "{result:?}");
    printed(&mut sandbox, "mkdir many; cd many; seq 1000 | xargs touch").await;
    assert!(matches!(sandbox.get("/workspace/many", 10_000).await, Err(SandboxError::TooLarge { .. })));
    assert_eq!(printed(&mut sandbox, "echo well").await, "well\n");
}

/// Start from a snapshot; what it should be called is up to the caller, who removes it.
pub async fn snapshot(place: &Place, name: &str) {
    let mut first = place.open().await;
    printed(&mut first, "echo kept >kept; chmod 750 kept; ln -s kept link").await;
    let image = first.snapshot(name).await.unwrap();
    printed(&mut first, "echo later >later").await;
    first.close().await.unwrap();
    assert_eq!(place.provider.image(name).await.unwrap().as_ref(), Some(&image));
    let mut second = place.provider.open(&Spec { image: image.name, ..place.spec(|_| {}) }).await.unwrap();
    let shown = printed(&mut second, "cat link; stat -c %a kept; ls; echo x >>kept; id -u >mine").await;
    assert_eq!(shown, "kept\n750\nkept\nlink\n");
}

pub async fn side_by_side(place: &Place) {
    let (mut one, mut two) = (place.open().await, place.open().await);
    let mark = sleep_of_ours();
    printed(&mut one, "echo 1 >which").await;
    printed(&mut two, "echo 2 >which").await;
    let long = Command::shell("sleep 1.5; cat which");
    let others = async {
        for _ in 0..3 {
            let line = format!("setsid sleep {mark} & cat which");
            assert_eq!(printed(&mut two, &line).await, "2\n");
        }
    };
    let (finished, ()) = tokio::join!(one.exec(&long), others);
    let finished = finished.unwrap();
    assert_eq!((finished.end, finished.stdout.text().as_str()), (End::Exit(0), "1\n"));
    assert_eq!(with_argument(&mark), [] as [PathBuf; 0]);
}

pub async fn closing(place: &Place) {
    let mut sandbox = place.open().await;
    let mark = sleep_of_ours();
    let command = Command::shell(&format!("sleep {mark}"));
    abandon(sandbox.exec(&command), &mark).await;
    sandbox.close().await.unwrap();
    assert_eq!(with_argument(&mark), [] as [PathBuf; 0]);
}

/// Run a call until its process is there, and drop it.
async fn abandon<T>(call: impl Future<Output = T>, mark: &str) {
    let begun = async {
        while with_argument(mark).is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = call => panic!("it ended by itself"),
        () = begun => {}
    }
}

pub async fn small_disk(place: &Place) {
    let spec = place.spec(|l| l.disk_mb = 1 << 40);
    let result = place.provider.open(&spec).await.err();
    assert!(matches!(result, Some(SandboxError::DiskFull { .. })), "{result:?}");
}

pub async fn missing_image(place: &Place) {
    let spec = Spec { image: "tsbench/no-such-image:0".to_owned(), ..place.spec(|_| {}) };
    let result = place.provider.open(&spec).await.err();
    assert!(matches!(result, Some(SandboxError::ImageMissing { .. })), "{result:?}");
    assert_eq!(place.provider.image("tsbench/no-such-image:0").await.unwrap(), None);
}

/// The tests above as tests of one place.
macro_rules! same_everywhere {
    ($place:expr) => {
        $crate::sandbox::shared::same_everywhere! { @tests $place;
            a_command_gives_its_code_and_both_outputs outputs_and_code,
            words_are_no_shell words,
            nothing_of_our_environment_is_seen environment,
            input_arrives_whole_and_need_not_be_read input,
            a_fork_bomb_ends_and_the_sandbox_goes_on fork_bomb,
            a_memory_hog_is_out_of_memory memory_hog,
            endless_output_is_cut_and_timed_out endless_output,
            a_disk_filler_is_stopped disk_filler,
            a_daemon_does_not_outlive_its_command daemon,
            a_time_out_leaves_nothing_that_ignores_signals time_out,
            a_command_without_outputs_is_waited_for closed_outputs,
            a_dropped_call_leaves_nothing_to_the_next dropped_call,
            files_come_back_as_they_went round_trip,
            hostile_output_is_refused hostile_output,
            output_that_is_too_large_is_refused huge_file,
            two_sandboxes_do_not_disturb_each_other side_by_side,
            closing_ends_what_runs closing,
            no_sandbox_opens_on_a_full_disk small_disk,
            a_missing_image_is_named missing_image,
        }
    };
    (@tests $place:expr; $($name:ident $body:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(place) = $place(stringify!($name)).await {
                    $crate::sandbox::shared::$body(&place).await;
                }
            }
        )*
    };
}
pub(super) use same_everywhere;
