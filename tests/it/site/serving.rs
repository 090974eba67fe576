use super::world::{World, line, site_program};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of ours, ended when dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(world: &World, more: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsbench-site"))
            .current_dir(world.dir.path())
            .args(["serve", "--port", "0"])
            .args(more)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address =
            lines.find_map(|l| l.unwrap().strip_prefix("http://").map(|a| a.trim_end_matches('/').to_owned())).unwrap();
        // The pipe must be read on, or the server would block when it is full.
        std::thread::spawn(move || lines.for_each(drop));
        Server { child, address }
    }

    fn get(&self, path: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn world() -> World {
    let world = World::new("");
    world.run(
        "r",
        &["t1", "t2"],
        &["m1", "m2"],
        1,
        json!({}),
        &[line("t1", "m1", 0, "resolved"), line("t2", "m2", 0, "unresolved")],
    );
    world
}

#[test]
fn serve_answers_as_the_host_does() {
    let world = world();
    world.build();
    let server = Server::start(&world, &[]);
    let (code, head, body) = server.get("/");
    assert_eq!(code, 200);
    assert!(head.contains("content-security-policy: default-src 'none'") && body.contains("<h1"), "{head}");
    assert_eq!(server.get("/task/b/t1").0, 200);
    let (code, head, _) = server.get("/task/b/t1.html");
    assert!(code == 308 && head.contains("location: /task/b/t1\r\n"), "{head}");
    let (code, _, body) = server.get("/no/such/page");
    assert!(code == 404 && body.contains("Page not found"), "{body}");
    for path in ["/../content/site.toml", "/%2e%2e/content/site.toml", "/_headers", "/..\\x"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
}

#[test]
fn a_site_is_verified_by_its_address() {
    let world = world();
    world.build();
    let server = Server::start(&world, &[]);
    site_program().args(["verify", "--site", &format!("http://{}", server.address)]).assert().success();
    super::world::edit(&world.path("public/index.html"), "data-n=\"board.b.fixed\">1<", "data-n=\"board.b.fixed\">2<");
    let out = site_program().args(["verify", "--site", &format!("http://{}/", server.address)]).assert().code(1);
    assert!(String::from_utf8_lossy(&out.get_output().stdout).contains("board.b."));
    let out = site_program().args(["verify", "--site", "http://127.0.0.1:9/"]).assert().code(2);
    assert!(String::from_utf8_lossy(&out.get_output().stderr).contains("hint:"));
}

#[test]
fn serve_with_watch_builds_again_when_a_result_is_appended() {
    let world = world();
    let server = Server::start(&world, &["--watch"]);
    let before = server.get("/").2;
    world.run("r2", &["t1", "t2"], &["m1"], 1, json!({}), &[line("t2", "m1", 0, "resolved")]);
    let start = Instant::now();
    loop {
        let now = server.get("/").2;
        if now != before && now.contains("data-n=\"board.b.attempts\">3</data>") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the site was not rebuilt");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(server.get("/").2.contains("/__reload.js"));
}
