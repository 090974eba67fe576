//! The leak scan's part inside a sandbox: which files an image has, and which of them hold certain lines.

use super::ValidationError;
use super::leak::{Hit, Leak, git_objects, judge_hits};
use super::unread::{Unread, complaints};
use crate::git::{Store, tags};
use crate::languages::{Files, Release};
use crate::sandbox::{Body, Command, End, File, Finished, Provider, Sandbox, SandboxError, User};
use crate::scoring::{Ready, TREE, open, runtime_in};
use std::collections::BTreeSet;
use std::path::Path;

/// What is looked for, and what of it is allowed.
pub(super) struct Wanted<'a> {
    /// Lines that the fix adds.
    pub fix: &'a [String],
    /// Lines that the hidden tests add.
    pub tests: &'a [String],
    /// The starting tree.
    pub tree: &'a (dyn Files + Sync),
    /// Objects of the mirror, for ancestry of releases.
    pub store: &'a Store,
    /// The mirror.
    pub mirror: &'a Path,
    /// The commit that the fix was made on.
    pub base: &'a str,
}

/// What an image holds.
#[derive(Default)]
pub(super) struct Surveyed {
    /// Exact version of the runtime.
    pub runtime: String,
    pub files: u64,
    pub bytes: u64,
    /// What nobody could look into.
    pub unread: Vec<Unread>,
    /// What no command of an agent could read either.
    pub closed: Vec<Unread>,
    pub findings: Vec<Leak>,
    pub harmless: Vec<Leak>,
}

/// Folders of the image that belong to the user that commands run as; the rest belongs to root.
const OF_AGENT: [&str; 3] = ["/home", "/workspace", "/tmp"];
/// The folder of the lines that are looked for.
const SCAN: &str = "/tmp/tsbench-scan";
/// Bytes of a listing that are read.
const MOST_LISTING: usize = 256 << 20;
/// Seconds that a scan may take.
const SECONDS: u64 = 900;

/// Every file below the folders, NUL behind each: its size and its path.
const LIST: &str = r#"LC_ALL=C exec find "$@" -xdev -path /tmp/tsbench-scan -prune -o -type f -printf '%s %p\0'"#;
/// Every line that is found, behind the path of its file and a NUL.
const SEARCH: &str =
    r#"lines=$1; shift; LC_ALL=C exec grep -rHoaFZ -D skip --exclude-dir=tsbench-scan -f "$lines" "$@""#;
/// Those of some paths that a user may read, NUL behind each.
const MAY_READ: &str = r#"for path; do
    if [ -r "$path" ] && { [ ! -d "$path" ] || [ -x "$path" ]; }; then printf '%s\0' "$path"; fi
done"#;
/// The folders of a root that hold files, links left out.
const ROOTS: &str = "find / -mindepth 1 -maxdepth 1 -type d ! -name proc ! -name sys ! -name dev ! -name home ! -name workspace ! -name tmp";

/// Looks through a task's image.
pub(super) async fn survey(
    ready: &Ready,
    wanted: &Wanted<'_>,
    provider: &Provider,
) -> Result<Surveyed, ValidationError> {
    let mut sandbox = open(ready, provider).await?;
    let end = survey_in(ready, wanted, sandbox.as_mut(), matches!(provider, Provider::Docker(_))).await;
    let closed = sandbox.close().await;
    let fail = |source| ValidationError::Scan { task: ready.task.spec.id.clone(), source };
    let seen = end.map_err(fail)?;
    closed.map_err(fail)?;
    judge(seen, wanted)
}

/// What was seen inside, before it is judged.
struct Seen {
    out: Surveyed,
    paths: Vec<String>,
    hits: BTreeSet<Hit>,
    releases: Vec<(Release, String)>,
    tree: String,
}

async fn survey_in(
    ready: &Ready,
    wanted: &Wanted<'_>,
    sandbox: &mut dyn Sandbox,
    docker: bool,
) -> Result<Seen, SandboxError> {
    let lines: String = wanted.fix.iter().chain(wanted.tests).map(|l| format!("{l}\n")).collect();
    let any = !lines.is_empty();
    sandbox.put(&[File::new("lines", lines)], SCAN).await?;
    let mut halves = vec![(User::Agent, OF_AGENT.map(|d| sandbox.path(d)).to_vec())];
    if docker {
        let found = run(sandbox, User::Root, ROOTS, &[]).await?;
        halves.push((User::Root, found.stdout.text().lines().map(str::to_owned).collect()));
    }
    let mut seen = Seen {
        out: Surveyed::default(),
        paths: Vec::new(),
        hits: BTreeSet::new(),
        releases: Vec::new(),
        tree: sandbox.path(TREE),
    };
    seen.out.runtime = runtime_in(ready, sandbox).await?;
    let lines = any.then(|| sandbox.path(&format!("{SCAN}/lines")));
    for (user, folders) in halves {
        let denied = seen.look(sandbox, user, &folders, lines.as_deref()).await?;
        // What one user may not read the other may; what neither may is closed to every command of an agent.
        let other = if user == User::Root { User::Agent } else { User::Root };
        seen.look_again(sandbox, other, denied, lines.as_deref(), docker).await?;
    }
    for release in ready.language.releases(wanted.tree, &seen.paths) {
        let inside = strip(sandbox, &release.path);
        let bytes = match sandbox.get(&inside, 1 << 20).await {
            Ok(files) => files.into_iter().find_map(|f| match f.body {
                Body::Bytes(bytes) => Some(bytes),
                _ => None,
            }),
            Err(SandboxError::TooLarge { .. } | SandboxError::NotFound { .. } | SandboxError::BadEntry { .. }) => None,
            Err(e) => return Err(e),
        };
        if let Some(version) = ready.language.version_of_release(&release, &bytes.unwrap_or_default()) {
            seen.releases.push((release, version));
        }
    }
    Ok(seen)
}

/// A path of a command as `get` names it.
fn strip(sandbox: &dyn Sandbox, path: &str) -> String {
    let root = sandbox.path("/");
    path.strip_prefix(root.trim_end_matches('/')).unwrap_or(path).to_owned()
}

async fn run(sandbox: &mut dyn Sandbox, user: User, script: &str, words: &[String]) -> Result<Finished, SandboxError> {
    let head = ["sh", "-c", script, "scan"].map(str::to_owned);
    let command = Command {
        dir: "/".to_owned(),
        user,
        seconds: SECONDS,
        output_bytes: MOST_LISTING,
        ..Command::new(head.into_iter().chain(words.iter().cloned()))
    };
    let done = sandbox.exec(&command).await?;
    // 1 says that nothing was found or that something could not be read, 2 that something could not be read.
    if !matches!(done.end, End::Exit(0..=2)) || done.stdout.cut() > 0 {
        let what = format!("the scan of the image: it ended with {:?}: {}", done.end, done.stderr.text());
        return Err(SandboxError::BadInput { what });
    }
    Ok(done)
}

impl Seen {
    /// Lists and searches some folders; what the user may not read.
    async fn look(
        &mut self,
        sandbox: &mut dyn Sandbox,
        user: User,
        folders: &[String],
        lines: Option<&str>,
    ) -> Result<Vec<Unread>, SandboxError> {
        let listed = run(sandbox, user, LIST, folders).await?;
        self.take_listing(&listed);
        let mut said = listed.stderr.text();
        if let Some(lines) = lines {
            let words = [vec![lines.to_owned()], folders.to_vec()].concat();
            let found = run(sandbox, user, SEARCH, &words).await?;
            self.take_hits(&found);
            said = format!("{said}\n{}", found.stderr.text());
        }
        let (denied, unread) = complaints(&said).into_iter().partition(Unread::is_denied);
        self.out.unread.extend::<Vec<Unread>>(unread);
        Ok(denied)
    }

    /// Looks by another user into what was denied to one.
    async fn look_again(
        &mut self,
        sandbox: &mut dyn Sandbox,
        user: User,
        denied: Vec<Unread>,
        lines: Option<&str>,
        docker: bool,
    ) -> Result<(), SandboxError> {
        if denied.is_empty() {
            return Ok(());
        }
        if !docker {
            // There is no other user: nobody is kept from anything by rights.
            self.out.unread.extend(denied);
            return Ok(());
        }
        let paths: Vec<String> = denied.iter().map(|u| u.path.clone()).collect();
        let may = run(sandbox, user, MAY_READ, &paths).await?.stdout.text();
        let (open, closed): (Vec<Unread>, Vec<Unread>) =
            denied.into_iter().partition(|u| may.split('\0').any(|path| path == u.path));
        self.out.closed.extend(closed);
        if !open.is_empty() {
            let paths: Vec<String> = open.into_iter().map(|u| u.path).collect();
            let still = self.look(sandbox, user, &paths, lines).await?;
            self.out.closed.extend(still);
        }
        Ok(())
    }

    fn take_listing(&mut self, done: &Finished) {
        let out = [done.stdout.head.as_slice(), &done.stdout.tail].concat();
        for row in out.split(|b| *b == 0).filter(|r| !r.is_empty()) {
            let row = String::from_utf8_lossy(row);
            let Some((size, path)) = row.split_once(' ') else { continue };
            self.out.files += 1;
            self.out.bytes += size.parse::<u64>().unwrap_or(0);
            self.paths.push(path.to_owned());
        }
    }

    fn take_hits(&mut self, done: &Finished) {
        let out = [done.stdout.head.as_slice(), &done.stdout.tail].concat();
        for row in out.split(|b| *b == b'\n') {
            let Some(at) = row.iter().position(|b| *b == 0) else { continue };
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            self.hits.insert(Hit { path: text(&row[..at]), line: text(&row[at + 1..]) });
        }
    }
}

fn judge(seen: Seen, wanted: &Wanted<'_>) -> Result<Surveyed, ValidationError> {
    let mut out = seen.out;
    let own = |path: &str| {
        let inside = path.strip_prefix(&seen.tree).and_then(|p| p.strip_prefix('/'));
        inside.is_some_and(|p| wanted.tree.has(p))
    };
    // A line of the starting tree may hold an added one as a part.
    let hits = seen.hits.into_iter().filter(|h| !own(&h.path)).collect();
    for (of, lines) in [("fix", wanted.fix), ("tests", wanted.tests)] {
        let (findings, harmless) = judge_hits(of, lines, &hits);
        out.findings.extend(findings);
        out.harmless.extend(harmless);
    }
    out.findings.extend(git_objects(&seen.paths, &own));
    let tags = tags(wanted.mirror)?;
    let mut known = BTreeSet::new();
    for (release, version) in seen.releases {
        if !known.insert((release.package.clone(), version.clone())) {
            continue;
        }
        let (older, why) = age(&version, &tags, wanted)?;
        let leak = Leak::Release { package: release.package, version, path: release.path, why };
        if older { out.harmless.push(leak) } else { out.findings.push(leak) }
    }
    Ok(out)
}

/// Whether a release was made before the fix: by ancestry, never by dates or numbers.
fn age(
    version: &str,
    tags: &std::collections::BTreeMap<String, String>,
    wanted: &Wanted<'_>,
) -> Result<(bool, String), ValidationError> {
    let bare = version.trim_start_matches('v');
    let is = |tag: &&String| {
        let end = tag.rsplit(['/', '@']).next().unwrap_or(tag);
        let end = end.trim_start_matches('v');
        end == bare || end.ends_with(&format!("-{bare}"))
    };
    let Some(tag) = tags.keys().find(is) else {
        return Ok((false, "no tag of the mirror tells when it was released".to_owned()));
    };
    let older = wanted.store.is_before(&tags[tag], wanted.base)?;
    let word = if older { "is" } else { "is not" };
    Ok((older, format!("the tag {tag} {word} before the commit that the fix was made on")))
}
