//! What task folders of others do not say, and only running their own scripts tells: in a sandbox, without a network.

use super::exit::told;
use super::machine::Machine;
use crate::exchange::{HarborTask, ThinkbenchTask};
use crate::git::Mode;
use crate::languages::by_name;
use crate::sandbox::{Body, Command, End, File, Lease, Provider, Sandbox, Spec};
use crate::schema::Limits;
use crate::tasks::Files;
use std::time::Duration;

/// Seconds that a script may take.
const SECONDS: u64 = 300;
/// Bytes of a tree that are read back.
const MOST_TREE: u64 = 256 << 20;
const TREE: &str = "/workspace";

/// Runs the grader of each folder that declares no checks on its reference: its scorecard then declares them.
pub fn declare(machine: &Machine, tasks: &mut [ThinkbenchTask]) -> anyhow::Result<()> {
    let open_one = |t: &ThinkbenchTask| {
        let reference = || t.files.keys().any(|p| p.starts_with("reference/"));
        t.refused.is_none() && t.checks.is_none() && t.files.contains_key("grade.py") && reference()
    };
    if !tasks.iter().any(open_one) {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = machine.open().await?;
        for task in tasks.iter_mut().filter(|t| open_one(t)) {
            let mut sandbox = open(&provider, "python", &task.slug).await?;
            let end = async {
                sandbox.put(&files(&task.graded_reference()), TREE).await?;
                sandbox.exec(&Command { seconds: SECONDS, ..Command::new(["python3", "grade.py"]) }).await
            }
            .await;
            sandbox.close().await?;
            match end {
                Ok(done) => task.declare(&done.stdout.text()),
                Err(e) => task.refused = Some(format!("its grader could not be run on its reference: {e}")),
            }
            if task.checks.is_some() {
                eprintln!(
                    "{}: no manifest declares its checks; its grader names them when run on the reference",
                    task.slug
                );
            }
        }
        Ok(())
    })
}

/// Runs the solution of each folder that has it as a script alone: what it changes is the patch.
pub fn solve(machine: &Machine, tasks: &mut [HarborTask]) -> anyhow::Result<()> {
    let open_one = |t: &HarborTask| t.refused.is_none() && t.patch.is_none() && t.solution.is_some();
    if !tasks.iter().any(open_one) {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = machine.open().await?;
        for task in tasks.iter_mut().filter(|t| open_one(t)) {
            let (Some(solution), Some(language)) = (task.solution.clone(), task.language.clone()) else { continue };
            if let Err(e) = by_name(&language) {
                task.refused = Some(e.to_string().replace("\nhint: ", "; "));
                continue;
            }
            let mut sandbox = open(&provider, &language, &task.id).await?;
            let end = solved(sandbox.as_mut(), task, &solution).await;
            sandbox.close().await?;
            match end {
                Ok(Ok(after)) => task.solve(&after)?,
                Ok(Err(why)) => task.refused = Some(why),
                Err(e) => task.refused = Some(format!("its solve.sh could not be run: {}", told(&e))),
            }
        }
        Ok(())
    })
}

/// Why a solution's script did not end well, in words that say what to look at.
fn failed(end: End, said: &str, start: &Files) -> String {
    let last = said.trim_end().lines().last().unwrap_or("").trim();
    let how = match end {
        End::Exit(code) => format!("ended with {code}"),
        other => format!("was ended: {other:?}"),
    };
    let missing =
        ["No such file", "cannot find", "can't read", "cannot stat", "not found"].iter().any(|m| last.contains(m));
    let hint = match missing {
        true => format!(
            "; a file is missing that the tree does not have: it has the {} files that environment/Dockerfile copies into \
             the work folder, and nothing that its RUN lines make",
            start.len()
        ),
        false => String::new(),
    };
    let last = if last.is_empty() { String::new() } else { format!(", and said {last:?}") };
    format!("its solve.sh {how}{last}{hint}")
}

/// The tree after the solution's script, which takes its work folder and its own for others than they are here.
async fn solved(
    sandbox: &mut dyn Sandbox,
    task: &HarborTask,
    solution: &Files,
) -> anyhow::Result<Result<Files, String>> {
    const BESIDE: &str = "/home/agent/solution";
    sandbox.put(&files(&task.start), TREE).await?;
    let places = [("/solution", sandbox.path(BESIDE)), (task.workdir.as_str(), sandbox.path(TREE))];
    let settled: Files = solution
        .iter()
        .map(|(path, (mode, bytes))| {
            let text = String::from_utf8(bytes.clone())
                .map(|t| places.iter().fold(t, |text, (from, to)| text.replace(from, to)).into_bytes());
            (path.clone(), (*mode, text.unwrap_or_else(|_| bytes.clone())))
        })
        .collect();
    sandbox.put(&files(&settled), BESIDE).await?;
    let script = format!("{}/solve.sh", sandbox.path(BESIDE));
    let done = sandbox.exec(&Command { seconds: SECONDS, ..Command::new(["bash", &script]) }).await?;
    if !done.end.good() {
        // Told with the places that the script knows.
        let said =
            places.iter().fold(done.stderr.text().to_string(), |text, (from, to)| text.replace(to.as_str(), from));
        return Ok(Err(failed(done.end, &said, &task.start)));
    }
    let after = sandbox.get(TREE, MOST_TREE).await?;
    let kept = after.into_iter().filter(|f| !f.path.starts_with(".git/"));
    Ok(Ok(kept
        .filter_map(|f| match f.body {
            Body::Bytes(bytes) => {
                Some((f.path, (if f.mode & 0o111 != 0 { Mode::Executable } else { Mode::File }, bytes)))
            }
            Body::Link(target) => Some((f.path, (Mode::Link, target.into_bytes()))),
            _ => None,
        })
        .collect()))
}

async fn open(provider: &Provider, language: &str, name: &str) -> anyhow::Result<Box<dyn Sandbox>> {
    let image = match provider {
        Provider::Local(_) => String::new(),
        Provider::Docker(_) => by_name(language)?.image().to_owned(),
    };
    let lease = Lease::new("import", name, Duration::from_secs(SECONDS * 2 + 600))?;
    let spec = Spec { image, network: false, limits: Limits::default(), lease, caches: Vec::new(), sockets: None };
    Ok(provider.open(&spec).await?)
}

fn files(tree: &Files) -> Vec<File> {
    let file = |(path, (mode, bytes)): (&String, &(Mode, Vec<u8>))| match mode {
        Mode::File => File { mode: 0o644, ..File::new(path.clone(), bytes.clone()) },
        Mode::Executable => File { mode: 0o755, ..File::new(path.clone(), bytes.clone()) },
        Mode::Link => {
            let target = String::from_utf8_lossy(bytes).into_owned();
            File { path: path.clone(), mode: 0o777, body: Body::Link(target) }
        }
    };
    tree.iter().map(file).collect()
}
