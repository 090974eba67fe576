use super::candidate::folders_above;
use super::error::ScoreError;
use super::image::{HOME, Ready, TOOLS, TREE, files, inside, lease, places, tools};
use super::judge::{objection, tails};
use crate::git::{Tree, TreeId};
use crate::reports::{Key, Report};
use crate::sandbox::{Body, Command, End, File, Finished, Provider, Sandbox, SandboxError, Spec};
use crate::schema::{Failure, Limits};
use crate::tasks::sha256;
use std::collections::BTreeSet;
use std::io::Read;

/// Seconds for the removal of what a patch removes.
const CLEARING: u64 = 600;
/// Bytes of report files that are read.
const MOST_REPORT: u64 = 64 << 20;

/// What is different around a run of the tests; nothing for the run that scores.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Environment that stands before the sandbox's and the language's own.
    pub env: Vec<(String, String)>,
    /// What is done inside before the tests start; how it ends does not matter.
    pub before: Option<Command>,
    /// A third of the processors, and the time that this may take.
    pub slower: bool,
}

/// By how much a slower run has less of the processors.
const SLOWER: u64 = 3;

impl Around {
    /// Seconds that a run of the tests may take. What fills its processors takes three times as long on a third of them.
    pub fn seconds(&self, limits: &Limits) -> u64 {
        if self.slower { limits.tests_seconds.saturating_mul(SLOWER) } else { limits.tests_seconds }
    }
}

/// What one run of a task's tests gave, before anybody judges it.
#[derive(Clone, Debug)]
pub struct Observed {
    /// What the tests reported.
    pub report: Report,
    /// Why the report cannot be believed, if it cannot.
    pub objection: Option<Failure>,
    /// Whether something did not build or could not be loaded, so that tests may be missing from the report.
    pub unbuilt: bool,
    /// Whether the tests took longer than they may.
    pub timed_out: bool,
    /// Seconds that the tests took.
    pub seconds: f64,
    /// The end of the tests' output.
    pub log: String,
}

/// Runs the tests over a whole tree, hidden tests included, in a fresh sandbox: the very commands that score.
pub async fn observe(
    ready: &Ready,
    tree: &TreeId,
    provider: &Provider,
    around: &Around,
) -> Result<Observed, ScoreError> {
    let mut limits = ready.task.limits.clone();
    if around.slower {
        limits.cpu_thousandths = (limits.cpu_thousandths / SLOWER).max(1);
        limits.tests_seconds = around.seconds(&limits);
    }
    let mut sandbox = open_within(ready, provider, &limits).await?;
    let end = observe_in(ready, tree, sandbox.as_mut(), around, limits.tests_seconds).await;
    let closed = sandbox.close().await.map_err(ScoreError::sandbox(&ready.task.spec.id));
    let (report, done) = end?;
    closed?;
    let objection = objection(ready.language, &report, &done);
    let unbuilt = ready.language.is_build_failure(&report, &tails(&done.stdout), &tails(&done.stderr));
    let timed_out = matches!(done.end, End::TimedOut);
    Ok(Observed { unbuilt, objection, timed_out, seconds: done.seconds, log: log_of(&done), report })
}

async fn observe_in(
    ready: &Ready,
    tree: &TreeId,
    sandbox: &mut dyn Sandbox,
    around: &Around,
    seconds: u64,
) -> Result<(Report, Finished), ScoreError> {
    lay(ready, tree, sandbox).await?;
    if let Some(command) = &around.before {
        sandbox.exec(command).await.map_err(ScoreError::sandbox(&ready.task.spec.id))?;
    }
    run_tests(ready, sandbox, &around.env, &[], seconds).await
}

/// A fresh sandbox of the task's image, without a network.
pub async fn open(ready: &Ready, provider: &Provider) -> Result<Box<dyn Sandbox>, ScoreError> {
    open_within(ready, provider, &ready.task.limits).await
}

/// What a sandbox may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network<'a> {
    /// Nothing.
    None,
    /// The sockets of a folder, and nothing else.
    Sockets(&'a std::path::Path),
    /// Everything: to install something before anybody works in it.
    All,
}

/// A sandbox of a task's image, or of one made from it, for an agent that works so many seconds.
pub async fn open_for_agent(
    ready: &Ready,
    provider: &Provider,
    image: &str,
    network: Network<'_>,
    seconds: u64,
) -> Result<Box<dyn Sandbox>, ScoreError> {
    let sockets = match network {
        Network::Sockets(folder) => Some(folder.to_owned()),
        Network::None | Network::All => None,
    };
    let spec = Spec {
        image: image.to_owned(),
        network: network == Network::All,
        limits: ready.task.limits.clone(),
        lease: lease(&ready.task, seconds)?,
        caches: Vec::new(),
        sockets,
    };
    provider.open(&spec).await.map_err(ScoreError::sandbox(&ready.task.spec.id))
}

/// What a person at work in a sandbox of the task needs: the environment in which its tools are found, and the folder of
/// what was installed outside the tree, as commands name it.
pub async fn surroundings(
    ready: &Ready,
    sandbox: &mut dyn Sandbox,
) -> Result<(Vec<(String, String)>, String), ScoreError> {
    let at = places(sandbox, "unused").await.map_err(ScoreError::sandbox(&ready.task.spec.id))?;
    Ok((ready.language.version(&ready.plan, &at).env, at.home))
}

async fn open_within(ready: &Ready, provider: &Provider, limits: &Limits) -> Result<Box<dyn Sandbox>, ScoreError> {
    let spec = Spec {
        image: ready.image.clone(),
        network: false,
        limits: limits.clone(),
        lease: lease(&ready.task, limits.tests_seconds)?,
        caches: Vec::new(),
        sockets: None,
    };
    provider.open(&spec).await.map_err(ScoreError::sandbox(&ready.task.spec.id))
}

/// Runs the tests of the tree that was laid, without files that are `code` though they are called like tests, and reads
/// their report.
pub(super) async fn run_tests(
    ready: &Ready,
    sandbox: &mut dyn Sandbox,
    env: &[(String, String)],
    code: &[String],
    seconds: u64,
) -> Result<(Report, Finished), ScoreError> {
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    // Name and key of the report are made for this run alone, after the patch is fixed.
    let secret = random()?;
    let key = Key::new(secret);
    let folder = format!("/tmp/tsbench-{}", &sha256(&[secret.as_slice(), b"folder"].concat())[..24]);
    let at = places(sandbox, &folder).await.map_err(fail())?;
    let mut test = ready.language.test(&ready.plan, &at, &key);
    ready.language.leave_out(&ready.plan, &mut test, code);
    let command = Command {
        words: test.words,
        dir: inside(sandbox, &test.dir),
        env: test.env.into_iter().filter(|(name, _)| env.iter().all(|(n, _)| n != name)).chain(env.to_vec()).collect(),
        stdin: test.stdin,
        seconds,
        output_bytes: ready.task.limits.output_bytes,
        ..Command::new([""; 0])
    };
    let done = sandbox.exec(&command).await.map_err(fail())?;
    let (found, trouble) = read_report(sandbox, &folder).await.map_err(fail())?;
    let mut report = ready.language.read(&ready.plan, &found, &key);
    report.problems.extend(trouble);
    Ok((report, done))
}

/// What a run left in its report folder. Entries that cannot be accepted are the patch's doing, not a fault of ours.
async fn read_report(
    sandbox: &mut dyn Sandbox,
    folder: &str,
) -> Result<(Vec<(String, Vec<u8>)>, Vec<String>), SandboxError> {
    match sandbox.get(folder, MOST_REPORT).await {
        Ok(files) => Ok((files.into_iter().filter_map(bytes).collect(), Vec::new())),
        Err(SandboxError::NotFound { .. }) => Ok((Vec::new(), Vec::new())),
        Err(e @ (SandboxError::BadEntry { .. } | SandboxError::TooLarge { .. })) => {
            Ok((Vec::new(), vec![e.to_string()]))
        }
        Err(e) => Err(e),
    }
}

fn bytes(file: File) -> Option<(String, Vec<u8>)> {
    match file.body {
        crate::sandbox::Body::Bytes(bytes) => Some((file.path, bytes)),
        _ => None,
    }
}

/// Turns the image's tree into the candidate's: what differs is removed and written anew.
pub(super) async fn lay(ready: &Ready, tree: &TreeId, sandbox: &mut dyn Sandbox) -> Result<(), ScoreError> {
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    let (start, wanted) = (ready.material.store.read(&ready.material.start)?, ready.material.store.read(tree)?);
    let gone = start.keys().filter(|p| !wanted.contains_key(*p)).map(String::as_str);
    let new: Tree =
        wanted.iter().filter(|(p, e)| start.get(*p) != Some(e)).map(|(p, e)| (p.clone(), e.clone())).collect();
    let folders: BTreeSet<&str> = new.keys().flat_map(|p| folders_above(p)).collect();
    let old: BTreeSet<&str> = start.keys().flat_map(|p| folders_above(p)).collect();
    let added = new.keys().filter(|p| !start.contains_key(*p)).map(String::as_str);
    clear(sandbox, folders.difference(&old).copied(), gone.chain(added)).await.map_err(fail())?;
    let above = folders.into_iter().map(|path| File { path: path.to_owned(), mode: 0o755, body: Body::Dir });
    let all: Vec<File> = above.chain(files(&ready.material.store, &new)?).collect();
    sandbox.put(&all, TREE).await.map_err(fail())?;
    // The tools of the image are those of the installation; a fresh copy is the one that grades.
    sandbox.put_ours(&tools(ready.language), TOOLS).await.map_err(fail())?;
    sandbox.put(&[], HOME).await.map_err(fail())
}

/// Makes room in the tree: what stands in the place of these folders and is none goes, and so do these files, with
/// folders that stand in their place, be they of the tree or of the installation.
async fn clear<'a>(
    sandbox: &mut dyn Sandbox,
    folders: impl Iterator<Item = &'a str>,
    files: impl Iterator<Item = &'a str>,
) -> Result<(), SandboxError> {
    // By standard input, which takes any number of paths; folders first, so that no file is looked for through a link.
    let marked = folders.map(|p| ('/', p)).chain(files.map(|p| ('-', p)));
    let stdin = marked.flat_map(|(mark, p)| [mark.to_string(), p.to_owned(), "\0".to_owned()]).collect::<String>();
    if stdin.is_empty() {
        return Ok(());
    }
    let words = ["xargs", "-0", "sh", "-c", CLEAR, "sh"];
    let command = Command { dir: TREE.to_owned(), stdin: stdin.into_bytes(), seconds: CLEARING, ..Command::new(words) };
    let done = sandbox.exec(&command).await?;
    if !done.end.good() {
        let what = format!("remove old files of the tree: {:?} {}", done.end, done.stderr.text());
        return Err(SandboxError::BadInput { what });
    }
    Ok(())
}

/// Removes, of paths marked as folders, what is none; and, of all others, what is there, in one go.
const CLEAR: &str = r#"count=$#
for marked; do
  path=${marked#?}
  case $marked in
  /*) [ -d "$path" ] && [ ! -L "$path" ] || rm -rf -- "$path" || exit ;;
  *) if [ -e "$path" ] || [ -L "$path" ]; then set -- "$@" "$path"; fi ;;
  esac
done
shift "$count"
[ "$#" = 0 ] || exec rm -rf -- "$@""#;

pub(super) fn log_of(done: &Finished) -> String {
    format!("{}\n{}", done.stdout.text(), done.stderr.text())
}

/// Random bytes that nothing inside a sandbox can guess.
pub(super) fn random() -> Result<[u8; 32], ScoreError> {
    let mut bytes = [0; 32];
    std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes)).map_err(ScoreError::Random)?;
    Ok(bytes)
}
