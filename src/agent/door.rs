//! The door of a sandbox: a socket behind which requests of a program wait for whoever passes them on.

use super::AgentError;
use crate::gateway::{Asked, Passed};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// The socket's name in its folder.
pub(super) const SOCKET: &str = "model.sock";
/// Bytes of a request.
const MOST: usize = 32 << 20;
/// Requests that wait; more are refused.
const WAITING: usize = 64;

/// A folder with a socket. It is gone when this is dropped, and so is the way out.
pub struct Door {
    folder: PathBuf,
    knocks: mpsc::Receiver<Knock>,
    server: JoinHandle<()>,
    _place: tempfile::TempDir,
}

/// One request, and where its answer goes.
pub(super) struct Knock {
    pub asked: Asked,
    pub answer: oneshot::Sender<Passed>,
}

impl Door {
    /// Opens a door that only this process and the sandbox can reach.
    pub fn open(model: &str) -> Result<Door, AgentError> {
        let bad = |e: std::io::Error| AgentError::Door { cause: e.to_string() };
        // The outer folder is this user's alone; the inner one is what a sandbox sees, under another user.
        let place = tempfile::Builder::new().prefix("tsbench-door-").tempdir().map_err(bad)?;
        let folder = place.path().join("door");
        std::fs::create_dir(&folder).map_err(bad)?;
        let listener = UnixListener::bind(folder.join(SOCKET)).map_err(bad)?;
        let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode));
        open(&folder, 0o755).and_then(|()| open(&folder.join(SOCKET), 0o666)).map_err(bad)?;
        let (sender, knocks) = mpsc::channel(WAITING);
        let app = axum::Router::new().fallback(knock).with_state((sender, model.to_owned()));
        let server = tokio::spawn(async move {
            // It ends with this task; a connection that breaks is the program's to make again.
            drop(axum::serve(listener, app).await);
        });
        Ok(Door { folder, knocks, server, _place: place })
    }

    /// The folder that a sandbox is given.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The next request.
    pub(super) async fn next(&mut self) -> Option<Knock> {
        self.knocks.recv().await
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn knock(State((sender, model)): State<(mpsc::Sender<Knock>, String)>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    if parts.method == Method::GET && path.ends_with("/models") {
        let list = serde_json::json!({"object": "list", "data": [{"id": model, "object": "model"}]});
        return answer(200, "application/json", Bytes::from(list.to_string()));
    }
    let refused = |status, why: &str| {
        let passed = Passed::refused(status, why);
        answer(passed.status, &passed.kind, Bytes::from(passed.body))
    };
    if parts.method != Method::POST {
        return refused(405, "a model is asked with POST");
    }
    let Ok(body) = to_bytes(body, MOST).await else { return refused(413, "the request is too large") };
    let headers = parts.headers.iter();
    let headers = headers.filter_map(|(n, v)| Some((n.as_str().to_owned(), v.to_str().ok()?.to_owned()))).collect();
    let (to, from) = oneshot::channel();
    let knock = Knock { asked: Asked { path, headers, body: body.to_vec() }, answer: to };
    if sender.try_send(knock).is_err() {
        return refused(503, "too many requests wait, or the attempt is over");
    }
    match from.await {
        Ok(passed) => answer(passed.status, &passed.kind, Bytes::from(passed.body)),
        Err(_) => refused(503, "the attempt is over"),
    }
}

fn answer(status: u16, kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    if let Ok(kind) = kind.parse() {
        response.headers_mut().insert("content-type", kind);
    }
    response
}
