//! A hostile site or folder: bounded, refused, and nothing left behind.

use crate::site::world::{World, line};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn built() -> World {
    let world = World::new("");
    world.run("r", &["t"], &["m"], 1, json!({}), &[line("t", "m", 0, "resolved")]);
    world.build();
    world
}

/// What `verify` says of a site's folder: the end, its differences, its messages.
fn verified(world: &World) -> (i32, String, String) {
    let end = world.command(&["verify", "--site", "public"]).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (end.status.code().unwrap(), text(&end.stdout), text(&end.stderr))
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Writes the list of digests anew, as who forges a file would.
fn sum_up(site: &Path) {
    let sums = fs::read_to_string(site.join("SHA256SUMS")).unwrap();
    let names = sums.lines().filter_map(|l| l.split_once("  ")).map(|(_, name)| name);
    let text: String = names.map(|n| format!("{}  {n}\n", sha256(&fs::read(site.join(n)).unwrap()))).collect();
    fs::write(site.join("SHA256SUMS"), text).unwrap();
}

#[test]
fn a_changed_script_is_noticed_though_the_digests_were_written_anew() {
    let world = built();
    let site = world.path("public");
    let (code, _, told) = verified(&world);
    assert!(code == 0 && !told.contains("is not a script"), "{told}");
    let script = fs::read_dir(site.join("assets")).unwrap().map(|e| e.unwrap().path());
    let script = script.into_iter().find(|p| p.extension().is_some_and(|e| e == "js")).unwrap();
    let text = fs::read_to_string(&script).unwrap() + "\nfetch('x');\n";
    fs::write(&script, &text).unwrap();
    sum_up(&site);
    let (code, differences, _) = verified(&world);
    assert!(code == 1 && differences.contains("its name"), "{differences}");
    // Under a new name it is whole, and a reader is told that it is not ours.
    let name = script.file_name().unwrap().to_str().unwrap();
    let stem = name.split('.').next().unwrap();
    let renamed = format!("{stem}.{}.js", &sha256(text.as_bytes())[..8]);
    fs::rename(&script, script.with_file_name(&renamed)).unwrap();
    let sums = fs::read_to_string(site.join("SHA256SUMS")).unwrap().replace(name, &renamed);
    fs::write(site.join("SHA256SUMS"), sums).unwrap();
    let (_, _, told) = verified(&world);
    assert!(told.contains(&renamed) && told.contains("is not a script of tsbench-site"), "{told}");
}

#[test]
fn links_pipes_and_strange_files_in_a_site_are_told_and_not_opened() {
    for (kind, word) in [("link", "is a link"), ("pipe", "is a named pipe")] {
        let world = built();
        let path = world.path("public/data/extra.json");
        match kind {
            "link" => symlink("/etc/passwd", &path).unwrap(),
            _ => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
        }
        let (code, differences, _) = verified(&world);
        assert!(code == 1 && differences.contains("data/extra.json") && differences.contains(word), "{differences}");
        let end = world.command(&["check"]).assert().code(1);
        assert!(String::from_utf8_lossy(&end.get_output().stdout).contains(word));
    }
    let world = built();
    fs::write(world.path("public/notes.txt"), "x").unwrap();
    let (code, differences, _) = verified(&world);
    assert!(code == 1 && differences.contains("notes.txt") && differences.contains("not listed"), "{differences}");
    for line in
        [format!("{0}  ../../etc/passwd", "0".repeat(64)), format!("{0}  /etc/passwd", "0".repeat(64)), "odd".into()]
    {
        let world = built();
        let sums = world.path("public/SHA256SUMS");
        fs::write(&sums, fs::read_to_string(&sums).unwrap() + &line + "\n").unwrap();
        let (code, differences, _) = verified(&world);
        assert!(code == 1 && differences.contains(&line), "{line}: {differences}");
    }
}

#[test]
fn a_folder_that_is_no_site_is_called_so() {
    let world = World::new("");
    fs::create_dir(world.path("public")).unwrap();
    for verb in ["verify", "check"] {
        let end = world.command(&[verb]).assert().code(2);
        let told = String::from_utf8_lossy(&end.get_output().stderr).into_owned();
        assert!(told.contains("is no built site") && told.contains("hint:"), "{told}");
    }
}

#[test]
fn a_page_of_content_is_not_read_through_a_link() {
    let world = built();
    fs::write(world.path("private.md"), "+++\ntitle = \"P\"\ndescription = \"d\"\n+++\nsecret\n").unwrap();
    symlink(world.path("private.md"), world.path("content/page.md")).unwrap();
    let end = world.command(&["build"]).assert().code(2);
    let told = String::from_utf8_lossy(&end.get_output().stderr).into_owned();
    assert!(told.contains("page.md") && told.contains("is a link"), "{told}");
}

/// A site on a port of its own that answers each path by a function, until it is dropped with the process.
fn serve(answer: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = std::sync::Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || {
                let mut request = BufReader::new(stream.try_clone().unwrap());
                let mut first = String::new();
                _ = request.read_line(&mut first);
                let mut head = String::new();
                while request.read_line(&mut head).is_ok_and(|n| n > 2) {}
                let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
                match answer(&path) {
                    Some(body) => {
                        let head =
                            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                        _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
                    }
                    // Never an answer: the stream stays open.
                    None => {
                        _ = stream.read(&mut [0]);
                        std::thread::park();
                    }
                }
            });
        }
    });
    address
}

fn sums(files: usize) -> Vec<u8> {
    (0..files).map(|i| format!("{:064}  data/f{i}.json\n", 0)).collect::<String>().into_bytes()
}

#[test]
fn a_site_without_end_is_given_up_with_the_bound_and_leaves_nothing() {
    let many = serve(|_| Some(sums(30_000)));
    let large = serve(|path| Some(if path == "/SHA256SUMS" { sums(200) } else { vec![b'x'; 1 << 20] }));
    for (address, more, want) in [(&many, "9", "lists 30000 files"), (&large, "5", "has more than 5 MB")] {
        let world = World::new("");
        let temp = tempfile::tempdir().unwrap();
        let mut command = world.command(&["verify", "--site", address, "--most-mb", more]);
        let end = command.env("TMPDIR", temp.path()).assert().code(2);
        let told = String::from_utf8_lossy(&end.get_output().stderr).into_owned();
        assert!(told.contains(want) && told.contains("hint:"), "{told}");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_signal_removes_what_verify_fetched() {
    for signal in ["INT", "TERM"] {
        let (tell, told) = std::sync::mpsc::channel();
        let tell = std::sync::Mutex::new(tell);
        let address = serve(move |path| {
            if path == "/SHA256SUMS" {
                return Some(sums(3));
            }
            _ = tell.lock().unwrap().send(());
            None
        });
        let temp = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsbench-site"))
            .args(["verify", "--site", &address])
            .env("TMPDIR", temp.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        told.recv().unwrap();
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "the work has begun");
        let status = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(status.success() && !child.wait().unwrap().success());
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "{signal}");
    }
}

struct Server(Child, String);

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

impl Server {
    fn start(world: &World) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsbench-site"))
            .current_dir(world.dir.path())
            .args(["serve", "--port", "0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address =
            lines.find_map(|l| l.unwrap().strip_prefix("http://").map(|a| a.trim_end_matches('/').to_owned()));
        Server(child, address.unwrap())
    }

    fn ask(&self, method: &str, path: &str, host: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.1).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
    }
}

#[test]
fn serve_shows_this_machine_real_files_alone() {
    let world = built();
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("s.txt"), "secret").unwrap();
    fs::write(secret.path().join("index.html"), "secret").unwrap();
    symlink(secret.path().join("s.txt"), world.path("public/s.txt")).unwrap();
    symlink(secret.path(), world.path("public/folder")).unwrap();
    assert!(Command::new("mkfifo").arg(world.path("public/pipe.json")).status().unwrap().success());
    let server = Server::start(&world);
    for path in ["/s.txt", "/folder/s.txt", "/folder/", "/folder", "/pipe.json", "/./_headers", "/_headers"] {
        let (code, text) = server.ask("GET", path, "localhost");
        assert!(code == 404 && !text.contains("secret"), "{path}: {text}");
    }
    assert_eq!(server.ask("GET", "/", &server.1).0, 200);
    assert_eq!(server.ask("HEAD", "/", "127.0.0.1").0, 200);
    assert_eq!(server.ask("GET", "/", "evil.example").0, 403);
    for method in ["POST", "PUT", "DELETE"] {
        let (code, text) = server.ask(method, "/", "localhost:1");
        assert!(code == 405 && text.to_lowercase().contains("allow: get, head"), "{text}");
    }
}

#[test]
fn a_changed_line_is_told_before_the_numbers_that_follow_from_it() {
    let world = built();
    let lines = world.path("public/data/raw/r/attempts-0000.jsonl");
    let text = fs::read_to_string(&lines).unwrap().replace("resolved", "unresolved");
    fs::write(&lines, text).unwrap();
    let (code, differences, _) = verified(&world);
    assert_eq!(code, 1);
    assert!(differences.lines().next().unwrap().starts_with("file data/raw/r/attempts"), "{differences}");
    assert!(differences.contains("may follow from the first") || differences.lines().count() <= 60, "{differences}");
    let end = world.command(&["verify", "--site", "public", "--json"]).output().unwrap();
    let all: Value = serde_json::from_slice(&end.stdout).unwrap();
    assert!(all["differences"].as_array().unwrap().len() >= differences.lines().count() - 1);
}
