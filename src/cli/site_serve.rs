use super::Exit;
use super::site_build::{Place, once};
use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use clap::Args;
use clap::builder::BoolishValueParser;
use notify::{RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Look at a site on this machine.
#[derive(Args, Debug)]
pub struct Serve {
    #[command(flatten)]
    place: Place,
    /// Port on the loopback address
    #[arg(long, default_value_t = 8788, env = "TSBENCH_PORT")]
    port: u16,
    /// Build again whenever results, content, tasks or templates change, and reload open pages
    #[arg(long, env = "TSBENCH_WATCH", value_parser = BoolishValueParser::new())]
    watch: bool,
}

/// Runs `tsbench-site serve`.
pub fn serve(args: &Serve) -> anyhow::Result<Exit> {
    let built = args.place.out().join("index.html").is_file();
    if args.watch || !built {
        once(&args.place)?;
    }
    until_interrupted(&args.place, args.port, args.watch)
}

struct Site {
    dir: PathBuf,
    rules: Vec<Rule>,
    builds: AtomicU64,
    watch: bool,
}

/// A block of `_headers`: a path pattern, and what it sets or takes away.
struct Rule {
    pattern: String,
    set: Vec<(String, String)>,
    unset: Vec<String>,
}

/// Serves the built site until the process is interrupted.
pub fn until_interrupted(place: &Place, port: u16, watch: bool) -> anyhow::Result<Exit> {
    // The folder itself may be named by a link; within it none is followed.
    let dir = place.out();
    let dir = dir.canonicalize().with_context(|| format!("serve {}", dir.display()))?;
    let text =
        if is_real(&dir, "_headers") { std::fs::read_to_string(dir.join("_headers")) } else { Ok(String::new()) };
    let rules = rules(&text.unwrap_or_default());
    let site = Arc::new(Site { dir, rules, builds: AtomicU64::new(0), watch });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _watcher = if watch { Some(start_watching(place.clone(), Arc::clone(&site))?) } else { None };
    runtime.block_on(async {
        let app = Router::new().fallback(answer).with_state(site);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
            .await
            .with_context(|| format!("listen on port {port}\nhint: choose another with --port"))?;
        eprintln!("http://{}/", listener.local_addr()?);
        axum::serve(listener, app).await?;
        Ok(Exit::Good)
    })
}

/// Rebuilds on every change of an input, in a thread of its own; a failed build leaves the site as it was.
fn start_watching(place: Place, site: Arc<Site>) -> anyhow::Result<notify::RecommendedWatcher> {
    let (tell, told) = std::sync::mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|e| !e.kind.is_access()) {
            let _ = tell.send(());
        }
    })?;
    for name in ["results", "content", "site-templates", "tasks", "health"] {
        let dir = place.root.join(name);
        if dir.is_dir() {
            watcher.watch(&dir, RecursiveMode::Recursive).with_context(|| format!("watch {}", dir.display()))?;
        }
    }
    std::thread::spawn(move || {
        while told.recv().is_ok() {
            // Editors write in bursts: wait until it is quiet.
            while told.recv_timeout(Duration::from_millis(150)).is_ok() {}
            match once(&place) {
                Ok(_) => {
                    site.builds.fetch_add(1, Ordering::Relaxed);
                }
                Err(e) => eprintln!("error: failed to {}", super::exit::told(&e)),
            }
        }
    });
    Ok(watcher)
}

const RELOAD_PATH: &str = "/__reload";
const RELOAD_SCRIPT: &str = "let n=null;setInterval(async()=>{try{const t=await(await fetch('/__reload')).text();if(n!==null&&t!==n)location.reload();n=t}catch{}},500)";

async fn answer(State(site): State<Arc<Site>>, request: Request<Body>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    if !is_of_this_machine(request.headers().get(header::HOST)) {
        let text = "this site is served to this machine alone: open it under 127.0.0.1 or localhost\n";
        return plain(StatusCode::FORBIDDEN, text.to_owned(), "text/plain");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n".to_owned(), "text/plain");
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    if site.watch && path == RELOAD_PATH {
        return plain(StatusCode::OK, site.builds.load(Ordering::Relaxed).to_string(), "text/plain");
    }
    if site.watch && path == "/__reload.js" {
        return plain(StatusCode::OK, RELOAD_SCRIPT.to_owned(), "text/javascript");
    }
    match find(&site.dir, &path) {
        Found::File(file) => file_response(&site, &path, &file, StatusCode::OK),
        Found::Redirect(to) => redirect(&to),
        Found::Missing if is_real(&site.dir, "404.html") => {
            file_response(&site, &path, &site.dir.join("404.html"), StatusCode::NOT_FOUND)
        }
        Found::Missing => plain(StatusCode::NOT_FOUND, "not found".into(), "text/plain"),
    }
}

/// Whether a request names this machine. A page of another site may make its own name lead here, and would then read
/// what this address serves as its own; a name without a dot is none that a stranger can own.
fn is_of_this_machine(host: Option<&HeaderValue>) -> bool {
    // Without the header no browser asked.
    let Some(host) = host else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "127.0.0.1" | "[::1]") || !name.contains(['.', ':']) || name.ends_with(".localhost")
}

/// Whether a path below the folder is a file in folders: no link, no pipe, no device.
fn is_real(dir: &Path, path: &str) -> bool {
    let mut place = dir.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        let last = parts.peek().is_none();
        if !std::fs::symlink_metadata(&place).is_ok_and(|m| if last { m.is_file() } else { m.is_dir() }) {
            return false;
        }
    }
    true
}

enum Found {
    File(PathBuf),
    Redirect(String),
    Missing,
}

/// Finds a file as Cloudflare Pages does: names without `.html`, folders with a final slash.
fn find(dir: &Path, path: &str) -> Found {
    let clean = path.trim_start_matches('/');
    let inner = clean.strip_suffix('/').unwrap_or(clean);
    let odd = |p: &str| p == "." || p == ".." || p.is_empty() || p.contains(['\\', '\0', '%']);
    if !inner.is_empty() && inner.split('/').any(odd) {
        return Found::Missing;
    }
    let file = |path: String| is_real(dir, &path).then(|| dir.join(path));
    if let Some(short) = path.strip_suffix(".html") {
        let to = short.strip_suffix("index").unwrap_or(short).to_owned();
        return file(clean.to_owned()).map_or(Found::Missing, |_| Found::Redirect(to));
    }
    if path.ends_with('/') {
        let index = if inner.is_empty() { "index.html".to_owned() } else { format!("{inner}/index.html") };
        return file(index).map_or(Found::Missing, Found::File);
    }
    let open = !clean.starts_with('_');
    if let Some(found) = file(clean.to_owned()).filter(|_| open).or_else(|| file(format!("{clean}.html"))) {
        return Found::File(found);
    }
    file(format!("{clean}/index.html")).map_or(Found::Missing, |_| Found::Redirect(format!("{path}/")))
}

fn redirect(to: &str) -> Response<Body> {
    let mut response = plain(StatusCode::PERMANENT_REDIRECT, String::new(), "text/plain");
    if let Ok(value) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, value);
    }
    response
}

fn plain(status: StatusCode, text: String, kind: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn file_response(site: &Site, path: &str, file: &Path, status: StatusCode) -> Response<Body> {
    let Ok(mut bytes) = std::fs::read(file) else {
        return plain(StatusCode::NOT_FOUND, "not found".into(), "text/plain");
    };
    let kind = kind_of(file);
    if site.watch && kind.starts_with("text/html") {
        bytes.extend_from_slice(b"<script src=\"/__reload.js\"></script>");
    }
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=0, must-revalidate"));
    for rule in site.rules.iter().filter(|r| matches(&r.pattern, path)) {
        for name in &rule.unset {
            headers.remove(name.as_str());
        }
        for (name, value) in &rule.set {
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
                headers.insert(name, value);
            }
        }
    }
    response
}

fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "jsonl" => "application/x-ndjson; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "xml" => "application/xml",
        "png" => "image/png",
        _ => "text/plain; charset=utf-8",
    }
}

fn rules(text: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#')) {
        if !line.starts_with([' ', '\t']) {
            rules.push(Rule { pattern: line.trim().to_owned(), set: Vec::new(), unset: Vec::new() });
        } else if let Some(rule) = rules.last_mut() {
            match (line.trim().strip_prefix("! "), line.trim().split_once(':')) {
                (Some(name), _) => rule.unset.push(name.trim().to_ascii_lowercase()),
                (None, Some((name, value))) => {
                    rule.set.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
                }
                (None, None) => {}
            }
        }
    }
    rules
}

/// Whether a path matches a pattern with at most one `*`.
fn matches(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((before, after)) => {
            path.len() >= before.len() + after.len() && path.starts_with(before) && path.ends_with(after)
        }
    }
}
