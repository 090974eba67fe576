//! Whatever an agent leaves in its workspace, its fix is captured, and its neighbours keep their pace.

use crate::attempts::world::{World, ends_with};
use async_trait::async_trait;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tsbench::agent::{AgentError, Captured, Files, Prints, Unpatched, capture, patch, prints};
use tsbench::git::{Applied, Mode, Store, TreeId};
use tsbench::sandbox::{
    Command, DockerHost, End, File, Finished, ImageRef, Kept, Lease, LocalHost, Patience, Provider, Sandbox,
    SandboxError, Spec,
};
use tsbench::schema::{Limits, Outcome};

/// Places to open a sandbox in: this machine, and Docker where it is there.
pub async fn places() -> Vec<(Provider, &'static str, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let local = LocalHost::new(folder.path(), "/usr/local/bin:/usr/bin:/bin").unwrap();
    let mut places = vec![(Provider::Local(local), "", folder)];
    if crate::needs::image("tsbench/base:1") {
        let host = DockerHost::connect(None, Patience::default()).await.unwrap().with_images_of("test-cases");
        places.push((Provider::Docker(host), "tsbench/base:1", tempfile::tempdir().unwrap()));
    }
    places
}

pub async fn open(provider: &Provider, image: &str) -> Box<dyn Sandbox> {
    let limits = Limits { memory_mb: 512, processes: 128, disk_mb: 2048, ..Limits::default() };
    let lease = Lease::new("test-run", "test-task", Duration::from_secs(600)).unwrap();
    let spec = Spec { image: image.to_owned(), network: false, limits, lease, caches: Vec::new(), sockets: None };
    provider.open(&spec).await.unwrap()
}

/// A workspace with its starting tree, as an agent finds it.
struct Start {
    store: Store,
    tree: TreeId,
    before: Prints,
    sandbox: Box<dyn Sandbox>,
}

const START: [(&str, &str); 5] = [
    (".gitignore", "build/\n*.log\n"),
    ("app/core.py", "a - b\n"),
    ("app/lib/deep.py", "x\n"),
    ("kept.log", "1\n"),
    ("README.md", "read\n"),
];

impl Start {
    async fn new(provider: &Provider, image: &str) -> Start {
        let mut sandbox = open(provider, image).await;
        let files: Vec<File> = START.iter().map(|(path, text)| File::new(*path, *text)).collect();
        sandbox.put(&files, "/workspace").await.unwrap();
        let of = |(path, text): &(&str, &str)| ((*path).to_owned(), (Mode::File, text.as_bytes().to_vec()));
        let (store, files) = (Store::new().unwrap(), START.iter().map(of).collect::<Files>());
        let tree = store.write_files(&files).unwrap();
        let before = prints(&capture(sandbox.as_mut(), &store, &tree).await.unwrap().unwrap());
        assert_eq!(before, prints(&Captured::from(files)));
        Start { store, tree, before, sandbox }
    }

    /// What an agent's command leaves: the files that its patch changes, and what is named as left out.
    async fn after(&mut self, line: &str) -> Result<(BTreeMap<String, Option<String>>, Vec<String>), Unpatched> {
        let workspace = self.sandbox.path("/workspace");
        let line = format!("cd {workspace}\n{line}");
        let done = self.sandbox.exec(&Command { dir: "/".into(), ..Command::shell(&line) }).await.unwrap();
        assert_eq!(done.end, End::Exit(0), "{line}: {}", done.stderr.text());
        let captured = capture(self.sandbox.as_mut(), &self.store, &self.tree).await.unwrap()?;
        let made = patch(&self.store, &self.tree, &self.before, &captured).unwrap();
        let (old, end) = (
            self.store.read(&self.tree).unwrap(),
            match self.store.apply(&self.tree, &made).unwrap() {
                Applied::Strict(end) => end,
                Applied::Empty => self.tree.clone(),
                other => panic!("{other:?}"),
            },
        );
        let new = self.store.read(&end).unwrap();
        let names = old.keys().chain(new.keys()).filter(|path| old.get(*path) != new.get(*path));
        let names: BTreeSet<&String> = names.collect();
        let blobs: Vec<&str> = names.iter().filter_map(|path| new.get(*path)).map(|e| e.blob.as_str()).collect();
        let mut texts = self.store.many(&blobs).unwrap().into_iter().map(|t| String::from_utf8_lossy(&t).into_owned());
        let text = |path: &&String| ((*path).clone(), new.contains_key(*path).then(|| texts.next().unwrap()));
        let changed = names.iter().map(text).collect();
        Ok((changed, captured.left_out.since(&Default::default())))
    }
}

fn fixed(more: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
    let fix = ("app/core.py", Some("a + b\n"));
    more.iter().chain([&fix]).map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned))).collect()
}

const FIX: &str = "echo 'a + b' >app/core.py\n";

#[tokio::test(flavor = "multi_thread")]
async fn what_no_patch_can_have_is_left_out_by_name_and_the_rest_counts() {
    let odd = "touch \"$(printf 'caf\\351.txt')\"; truncate -s 1G data.mdb; mkfifo pipe; ln -s /etc/passwd out\n\
        ln -s loop loop; ln -s . here; ln here app/hard; d=.; for i in $(seq 150); do d=$d/d; done; mkdir -p $d; echo x >$d/f\n\
        mkdir -p app/.git x/.GIT; echo x >app/.git/hidden; echo x >x/.GIT/config; echo x >'git~1'; ln -s app .gitmodules\n\
        rm README.md; mkfifo README.md; mkdir shut; echo x >shut/in; chmod 000 shut; echo y >'new\nline'; echo 2 >kept.log\n";
    for (provider, image, _folder) in places().await {
        let mut start = Start::new(&provider, image).await;
        let (changed, left_out) = start.after(&format!("{FIX}{odd}")).await.unwrap();
        let more = [
            ("here", Some(".")),
            ("app/hard", Some(".")),
            ("shut/in", Some("x\n")),
            ("new\nline", Some("y\n")),
            ("kept.log", Some("2\n")),
        ];
        assert_eq!(changed, fixed(&more), "a pipe in the place of a file does not remove it");
        let names: Vec<&str> = left_out.iter().map(|named| named.rsplit_once(": ").unwrap().0).collect();
        let short: Vec<&str> = names.iter().filter(|name| !name.starts_with("d/d/")).copied().collect();
        let expected = [".gitmodules", "README.md", "caf\\xe9.txt", "data.mdb", "git~1", "loop", "out", "pipe"];
        assert_eq!((short.as_slice(), names.len()), (expected.as_slice(), 9), "{left_out:?}");
        start.sandbox.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_rules_of_the_starting_tree_keep_a_file_from_being_read() {
    let line = "mkdir build; truncate -s 600M build/big; truncate -s 600M a.log; mkfifo build/pipe\n\
        echo '*' >.git-ignore-me; echo '*.py' >app/.gitignore; echo x >app/new.py; mkdir -p .git/info; echo '*' >.git/info/exclude\n";
    for (provider, image, _folder) in places().await {
        let mut start = Start::new(&provider, image).await;
        let (changed, left_out) = start.after(&format!("{FIX}{line}")).await.unwrap();
        let more = [(".git-ignore-me", Some("*\n")), ("app/.gitignore", Some("*.py\n")), ("app/new.py", Some("x\n"))];
        assert_eq!((changed, left_out), (fixed(&more), Vec::new()));
        start.sandbox.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_was_shut_is_opened_and_one_that_was_emptied_is_a_deletion() {
    let all = START.map(|(path, _)| (path.to_owned(), None));
    let planted = "mkdir -p ../tmp/tsbench-workspace/x /tmp 2>/dev/null; chmod 000 app; chmod 000 .\n";
    for (provider, image, _folder) in places().await {
        let mut start = Start::new(&provider, image).await;
        assert_eq!(start.after(&format!("{FIX}{planted}")).await, Ok((fixed(&[]), Vec::new())));
        let moved = "mv app ../tmp/app 2>/dev/null || mv app /tmp/app; ln -s ../tmp/app app";
        let (changed, left_out) = start.after(moved).await.unwrap();
        assert_eq!((changed.len(), left_out), (0, vec!["app: is a link out of the workspace".to_owned()]));
        let (changed, _) = start.after("rm -rf ./* ./.[!.]*").await.unwrap();
        assert_eq!(changed, all.clone().into());
        start.sandbox.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_is_no_folder_is_unreadable() {
    let (provider, image, _folder) = places().await.remove(0);
    for line in [
        "cd ..; mv workspace gone",
        "cd ..; mv workspace gone; ln -s gone workspace",
        "cd ..; mv workspace gone; echo x >workspace",
    ] {
        let mut start = Start::new(&provider, image).await;
        let end = start.after(line).await;
        assert_eq!(end.unwrap_err().class(), "workspace_unreadable", "{line}");
        start.sandbox.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_files_are_one_patch() {
    let (provider, image, _folder) = places().await.remove(0);
    let mut start = Start::new(&provider, image).await;
    let (changed, _) = start.after(&format!("{FIX}mkdir m; cd m; seq 1 5000 | split -l 1 -a 3 - f")).await.unwrap();
    assert_eq!(changed.len(), 5001);
    start.sandbox.close().await.unwrap();
}

/// A sandbox in which one of our own commands ends so.
struct Broken {
    inner: Box<dyn Sandbox>,
    program: &'static str,
    end: End,
}

#[async_trait]
impl Sandbox for Broken {
    async fn exec(&mut self, command: &Command) -> Result<Finished, SandboxError> {
        let done = self.inner.exec(command).await?;
        if command.words[0] != self.program {
            return Ok(done);
        }
        // Little enough that the padding of an archive is not all that is missing.
        let part = done.stdout.head.len() / 8;
        let stdout = Kept { head: done.stdout.head[..part].to_vec(), tail: Vec::new(), total: part as u64 };
        Ok(Finished { end: self.end, stdout, ..done })
    }
    async fn put(&mut self, files: &[File], into: &str) -> Result<(), SandboxError> {
        self.inner.put(files, into).await
    }
    async fn put_ours(&mut self, files: &[File], into: &str) -> Result<(), SandboxError> {
        self.inner.put_ours(files, into).await
    }
    async fn get(&mut self, path: &str, most_bytes: u64) -> Result<Vec<File>, SandboxError> {
        self.inner.get(path, most_bytes).await
    }
    async fn snapshot(&mut self, name: &str) -> Result<ImageRef, SandboxError> {
        self.inner.snapshot(name).await
    }
    async fn close(self: Box<Self>) -> Result<(), SandboxError> {
        self.inner.close().await
    }
    fn isolation(&self) -> &'static str {
        self.inner.isolation()
    }
    fn path(&self, inside: &str) -> String {
        self.inner.path(inside)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_that_broke_off_is_a_fault_of_ours_and_never_a_deletion() {
    let (provider, image, _folder) = places().await.remove(0);
    for (program, end) in [
        ("sh", End::Exit(1)),
        ("sh", End::Signal(9)),
        ("sh", End::Exit(0)),
        ("tar", End::Exit(2)),
        ("tar", End::Signal(9)),
        ("tar", End::Exit(0)),
    ] {
        let start = Start::new(&provider, image).await;
        let mut broken = Broken { inner: start.sandbox, program, end };
        let captured = capture(&mut broken, &start.store, &start.tree).await;
        let fault = matches!(captured, Err(AgentError::Capture { .. } | AgentError::Sandbox(_)));
        assert!(fault, "{program} {end:?}: {captured:?}");
        broken.inner.close().await.unwrap();
    }
}

#[test]
fn work_that_is_nothing_but_what_no_patch_can_have_is_named_to_the_model_and_on_the_line() {
    let Some(world) = World::new() else { return };
    let say = |command: &str| json!({"text": format!("```bash\n{command}\n```")}).to_string() + "\n";
    let commands = ["rm answer.txt; mkfifo answer.txt", "echo TSBENCH_DONE", "echo TSBENCH_DONE"];
    world.write("pipe.jsonl", &commands.map(say).concat());
    ends_with(0, &mut world.run("left", "mock/script:pipe.jsonl", &["--repeats", "1"]));
    let line = world.lines("left").remove(0);
    assert_eq!((line.outcome, line.patch), (Outcome::NoPatch, None));
    let error = line.error.unwrap();
    assert_eq!(error.class, "left_out");
    assert!(error.message.ends_with("answer.txt: is a named pipe"), "{}", error.message);
    let told = std::fs::read_to_string(world.evidence("left", "mock/script:pipe.jsonl").join("trajectory.jsonl"));
    assert!(told.unwrap().contains("cannot be part of a patch, and count as unchanged: answer.txt: is a named pipe"));
}
