//! What a container may reach: nothing, by any family of sockets.

use super::capture::{open, places};
use tsbench::sandbox::Command;

/// Tries to make a socket of each family and kind, by the number of the call too, with bits above the family's.
const TRY: &str = r#"for my $family (0..60) { for my $kind (1..5) {
    print "$family " and last if socket(my $s, $family, $kind, 0);
} }
print "wide " if syscall(41, 4294967296 + 40, 1, 0) >= 0;
print "pair " if syscall(53, 30, 1, 0, my $two = "x" x 8) >= 0;
print "ring " if syscall(425, 1, my $ring = "\0" x 120) >= 0;
print "namespace " if syscall(272, 0x10000000) >= 0;"#;

#[tokio::test(flavor = "multi_thread")]
async fn only_sockets_of_the_containers_own_network_can_be_made() {
    let Some((provider, image, _folder)) = places().await.into_iter().nth(1) else { return };
    let mut sandbox = open(&provider, image).await;
    let done = sandbox.exec(&Command::new(["perl", "-e", TRY])).await.unwrap();
    assert!(done.end.good(), "{}", done.stderr.text());
    assert_eq!(done.stdout.text(), "1 2 10 16 ");
    sandbox.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_start_threads_and_processes_and_reach_their_own_sockets() {
    let Some((provider, image, _folder)) = places().await.into_iter().nth(1) else { return };
    let mut sandbox = open(&provider, image).await;
    let line = "getent hosts localhost >/dev/null && (echo a | cat | sort) && perl -MIO::Socket::INET -e \
        '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die; if (!fork) { \
        IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $s->sockport)->print(\"hello\"); exit } print $s->accept->getline'";
    let done = sandbox.exec(&Command::shell(line)).await.unwrap();
    assert_eq!(done.stdout.text(), "a\nhello", "{}", done.stderr.text());
    sandbox.close().await.unwrap();
}

/// Tries what could lead round the list, each in a process of its own: by number on x86-64, the way of 32 bits too.
const LEAVE: &str = r#"
import ctypes, os, platform, signal, sys
if platform.machine() != "x86_64":
    sys.exit(print("none"))
call = ctypes.CDLL(None, use_errno=True).syscall
def tried(number, *values):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if call(number, *map(ctypes.c_long, values)) == -1 and ctypes.get_errno() in (1, 38) else 1)
    return os.waitpid(pid, 0)[1] != 0
calls = {"mount": (165, 0, 0, 0, 0, 0), "bpf": (321, 0, 0, 0), "keyctl": (250, 0, -3, 1), "userfaultfd": (323, 0),
    "setns": (308, 0, 0), "perf": (298, 0, 0, -1, -1, 0), "handle": (304, 0, 0, 0), "clone": (56, 0x10000011, 0, 0, 0, 0),
    "clone3": (435, 0, 0), "personality": (135, 0x40000), "fsopen": (430, 0, 0), "unheard-of": (900,)}
print(*[name for name, call_ in calls.items() if tried(*call_)] or ["none"])
"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_capability_is_refused_and_what_is_unknown_is_said_to_be_missing() {
    if !crate::needs::image("tsbench/python:1") {
        return;
    }
    let Some((provider, _, _folder)) = places().await.into_iter().nth(1) else { return };
    let mut sandbox = open(&provider, "tsbench/python:1").await;
    let done = sandbox.exec(&Command::new(["python3", "-c", LEAVE])).await.unwrap();
    assert_eq!(done.stdout.text(), "none\n", "{}", done.stderr.text());
    let ordinary = "import asyncio, multiprocessing, sqlite3, subprocess, tempfile, threading, socket\n\
        def twice(n): return 2 * n\n\
        async def echo(): return (await (await asyncio.create_subprocess_exec('echo', 'a', stdout=-1)).communicate())[0]\n\
        if __name__ == '__main__':\n    \
            thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()\n    \
            print(multiprocessing.Pool(2).map(twice, [1, 2]), asyncio.run(echo()), socket.socketpair()[0].family.name)\n    \
            sqlite3.connect(tempfile.mkdtemp() + '/x').execute('create table t (a)')\n";
    let line = "cat >/tmp/o.py && python3 /tmp/o.py && git init -q /tmp/g && tar cf /tmp/t.tar -C /tmp g && echo done";
    let done = sandbox.exec(&Command { stdin: ordinary.into(), ..Command::shell(line) }).await.unwrap();
    assert_eq!(done.stdout.text(), "thread\n[2, 4] b'a\\n' AF_UNIX\ndone\n", "{}", done.stderr.text());
    sandbox.close().await.unwrap();
}
