use super::shared::{self, Place, printed};
use tsbench::sandbox::{Command, End};
use tsbench::sandbox::{File, LocalHost, Provider, SandboxError, User};

pub async fn place(_: &str) -> Option<Place> {
    let folder = tempfile::tempdir().unwrap();
    let host = LocalHost::new(folder.path(), "/usr/local/bin:/usr/bin:/bin").unwrap();
    Some(Place { provider: Provider::Local(host), image: String::new(), folder: Some(folder) })
}

shared::same_everywhere!(place);

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_is_a_start() {
    let place = place("").await.unwrap();
    shared::snapshot(&place, "tsbench/test:a/../b").await;
    assert_eq!(place.provider.evict(0).await.unwrap().len(), 1);
    assert_eq!(place.provider.image("tsbench/test:a/../b").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_installation_wrote_of_its_place_is_true_in_every_copy() {
    let place = place("").await.unwrap();
    let mut first = place.open().await;
    let program = first.path("/home/agent/tool");
    printed(&mut first, &format!("mkdir -p $(dirname {program}); printf '#!/bin/sh\necho $0\n' > {program}; chmod 755 {program}; printf '#!/bin/sh\nexec {program}\n' > start; printf '\\0{program}\\377' > binary; ln -s {program} link")).await;
    first.snapshot("tsbench/test:places").await.unwrap();
    let old = first.path("/");
    first.close().await.unwrap();
    let spec = tsbench::sandbox::Spec { image: "tsbench/test:places".to_owned(), ..place.spec(|_| {}) };
    for _ in 0..2 {
        let mut copy = place.provider.open(&spec).await.unwrap();
        let here = copy.path("/home/agent/tool");
        assert_eq!(printed(&mut copy, "sh start; ./link").await, format!("{here}\n./link\n"));
        assert_eq!(printed(&mut copy, &format!("grep -c {old} start binary; true")).await, "start:0\nbinary:0\n");
        copy.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_never_go_through_a_link_that_a_command_made() {
    let place = place("").await.unwrap();
    let outside = place.folder.as_ref().unwrap().path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("x"), "old").unwrap();
    let mut sandbox = place.open().await;
    let line = format!("ln -s {0} folder; ln -s {0}/x file; ln {0}/x hard", outside.display());
    printed(&mut sandbox, &line).await;
    for (name, into) in [("x", "/workspace/folder"), ("folder/x", "/workspace"), ("y/z", "/workspace/folder/a")] {
        let result = sandbox.put(&[File::new(name, "new")], into).await;
        assert!(matches!(result, Err(SandboxError::BadEntry { .. })), "{name}: {result:?}");
        assert!(matches!(sandbox.get("/workspace/folder/x", 100).await, Err(SandboxError::BadEntry { .. })));
    }
    sandbox.put(&[File::new("file", "new"), File::new("hard", "new")], "/workspace").await.unwrap();
    assert_eq!(std::fs::read_to_string(outside.join("x")).unwrap(), "old");
    printed(&mut sandbox, &format!("ln {}/x again", outside.display())).await;
    assert!(matches!(sandbox.get("/workspace/again", 100).await, Err(SandboxError::BadEntry { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_that_it_is_no_isolation_and_where_its_files_are() {
    let place = place("").await.unwrap();
    let mut sandbox = place.open().await;
    assert_eq!((sandbox.isolation(), place.provider.isolation()), ("none", "none"));
    sandbox.put(&[File::new("a", "x")], "/elsewhere").await.unwrap();
    let mut command = Command::new(["cat".to_owned(), sandbox.path("/elsewhere/a")]);
    command.user = User::Root;
    assert_eq!(sandbox.exec(&command).await.unwrap().stdout.text(), "x");
    command.dir = "/nowhere".to_owned();
    assert!(matches!(sandbox.exec(&command).await, Err(SandboxError::BadInput { .. })));
    std::fs::remove_dir_all(sandbox.path("/")).unwrap();
    assert!(matches!(sandbox.exec(&command).await, Err(SandboxError::Lost { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_without_the_mark_is_found_by_its_folder() {
    let place = place("").await.unwrap();
    let mut sandbox = place.open().await;
    let mark = shared::sleep_of_ours();
    let finished =
        shared::shell(&mut sandbox, &format!("env -i setsid sleep {mark} & env -i sleep {mark} &"), 20).await;
    assert_eq!((finished.end, finished.strays), (End::Exit(0), true));
    assert_eq!(shared::with_argument(&mark).len(), 0);
}
