use super::candidate::View;
use super::error::ScoreError;
use crate::git::{Mode, Store, Tree};
use crate::languages::{Language, Places, Plan, Step, by_name, is_version};
use crate::sandbox::{Body, Command, End, File, Finished, Lease, Provider, Sandbox, Spec};
use crate::tasks::{Material, Task, links_stay, sha256};
use std::time::Duration;

/// A task ready to be scored: its parts, its plan, and the image with everything installed.
pub struct Ready {
    /// The task.
    pub task: Task,
    /// Its parts.
    pub material: Material,
    /// Its language.
    pub language: &'static dyn Language,
    /// How it is installed and tested.
    pub plan: Plan,
    /// The image.
    pub image: String,
    /// The image's content address.
    pub image_id: String,
    /// Exact version of the runtime, as the image says it; empty where the image was there already.
    pub runtime: String,
    /// Seconds that the installation took; none where the image was there already.
    pub install_seconds: Option<f64>,
}

/// Where a task's tree is inside.
pub const TREE: &str = "/workspace";
pub(super) const HOME: &str = "/home/agent/tsbench";
/// Outside every folder of the agent, who could exchange what is in one of them.
pub(super) const TOOLS: &str = "/opt/tsbench";

/// Prepares a task: reads its parts, plans, and installs its dependencies into an image unless one is there.
///
/// An image is named by all that it is made from, so that it is never stale; installing always runs in full.
pub async fn prepare(task: &Task, material: Material, provider: &Provider) -> Result<Ready, ScoreError> {
    let name = task.spec.id.clone();
    links_stay(task)?;
    let language =
        by_name(&task.spec.language).map_err(|source| ScoreError::Language { task: name.clone(), source })?;
    let tree = material.store.read(&material.start)?;
    let view = View { store: &material.store, tree: &tree };
    let plan = language
        .detect(&view, task.spec.package.as_deref(), task.spec.runtime.as_deref())
        .map_err(|source| ScoreError::Language { task: name.clone(), source })?;
    let base = base_image(language, provider, &name).await?;
    let key = sha256(
        format!("tsbench.image/1\n{base}\n{}\n{plan:?}\n{}\n", material.start.0, tools_digest(language)).as_bytes(),
    );
    let image = format!("tsbench/task:{}", &key[..24]);
    let found = provider.image(&image).await.map_err(ScoreError::sandbox(&name))?;
    let mut ready = Ready {
        task: task.clone(),
        material,
        language,
        plan,
        image,
        image_id: String::new(),
        runtime: String::new(),
        install_seconds: None,
    };
    match found {
        Some(image) => ready.image_id = image.id,
        None => install(&mut ready, &tree, provider).await?,
    }
    Ok(ready)
}

async fn base_image(language: &dyn Language, provider: &Provider, task: &str) -> Result<String, ScoreError> {
    if matches!(provider, Provider::Local(_)) {
        return Ok("local".to_owned());
    }
    let found = provider.image(language.image()).await.map_err(ScoreError::sandbox(task))?;
    let missing = || crate::sandbox::SandboxError::ImageMissing { image: language.image().to_owned() };
    found.map(|i| i.id).ok_or_else(missing).map_err(ScoreError::sandbox(task))
}

fn tools_digest(language: &dyn Language) -> String {
    let parts: String = language.tools().iter().map(|t| format!("{} {}\n", t.name, sha256(t.bytes))).collect();
    sha256(parts.as_bytes())
}

async fn install(ready: &mut Ready, tree: &Tree, provider: &Provider) -> Result<(), ScoreError> {
    let task = ready.task.spec.id.clone();
    let fail = || ScoreError::sandbox(&task);
    let local = matches!(provider, Provider::Local(_));
    let spec = Spec {
        image: if local { String::new() } else { ready.language.image().to_owned() },
        network: true,
        limits: ready.task.limits.clone(),
        lease: lease(&ready.task, ready.task.limits.install_seconds)?,
        caches: caches(&ready.plan, &ready.task.suite),
        sockets: None,
    };
    let mut sandbox = provider.open(&spec).await.map_err(fail())?;
    let end = install_in(ready, tree, sandbox.as_mut()).await;
    let kept = match end {
        Ok(()) => sandbox.snapshot(&ready.image).await.map_err(fail()),
        Err(e) => Err(e),
    };
    // The sandbox is closed whatever came of it; the first failure is the one that counts.
    let closed = sandbox.close().await.map_err(fail());
    ready.image_id = kept?.id;
    closed
}

/// The download caches that the installs of a suite share: what one task left there is never met by another suite's.
/// What the tests need stays in the image and is not shared.
fn caches(plan: &Plan, suite: &str) -> Vec<(String, String)> {
    let of_suite = &sha256(suite.as_bytes())[..12];
    plan.caches.iter().map(|(name, dir)| (format!("{name}-{of_suite}"), format!("{HOME}/{dir}"))).collect()
}

async fn install_in(ready: &mut Ready, tree: &Tree, sandbox: &mut dyn Sandbox) -> Result<(), ScoreError> {
    let task = ready.task.spec.id.clone();
    let fail = || ScoreError::sandbox(&task);
    sandbox.put(&files(&ready.material.store, tree)?, TREE).await.map_err(fail())?;
    sandbox.put_ours(&tools(ready.language), TOOLS).await.map_err(fail())?;
    sandbox.put(&[], HOME).await.map_err(fail())?;
    let at = places(sandbox, "unused").await.map_err(fail())?;
    if let Some(found) = other_runtimes(ready, sandbox, &at).await.map_err(fail())? {
        return Err(no_runtime(ready, sandbox, found));
    }
    let mut seconds = 0.0;
    for step in ready.language.install(&ready.plan, &at) {
        let done = run(sandbox, &step, ready.task.limits.install_seconds).await.map_err(fail())?;
        seconds += done.seconds;
        if !done.end.good() && !step.may_fail {
            let log = format!("{}\n{}", tail(&done.stdout.text()), tail(&done.stderr.text()));
            if ready.language.lacks_runtime(&ready.plan, &step, &log) {
                let found =
                    format!("no such version, as {} says", step.words.first().map_or("the installer", String::as_str));
                return Err(no_runtime(ready, sandbox, found));
            }
            if let Some(program) = lacking(&done, &step, sandbox).await.map_err(fail())? {
                return Err(no_runtime(ready, sandbox, format!("no {program} that can be run")));
            }
            return Err(ScoreError::Install { task, words: step.words.join(" "), end: format!("{:?}", done.end), log });
        }
    }
    ready.runtime = runtime_in(ready, sandbox).await.map_err(fail())?;
    let asked = &ready.plan.runtime;
    if !asked.is_empty() && !says_version(&ready.runtime, asked) {
        let found = format!("{:?}", ready.runtime);
        return Err(no_runtime(ready, sandbox, found));
    }
    ready.install_seconds = Some(seconds);
    Ok(())
}

/// The program of a step that failed, where it is the program itself that is not there: a name may be found that leads to
/// nothing, as those of version managers do.
async fn lacking(
    done: &Finished,
    step: &Step,
    sandbox: &mut dyn Sandbox,
) -> Result<Option<String>, crate::sandbox::SandboxError> {
    let absent = |end: &End| matches!(end, End::Exit(126 | 127));
    let Some(program) = step.words.first().filter(|_| absent(&done.end)) else { return Ok(None) };
    let words = vec![program.clone(), "--version".to_owned()];
    let asked = run(sandbox, &Step { words, ..step.clone() }, 60).await?;
    Ok(absent(&asked.end).then(|| program.clone()))
}

fn no_runtime(ready: &Ready, sandbox: &dyn Sandbox, found: String) -> ScoreError {
    let hint = if sandbox.isolation() == "none" {
        "install that version on this machine, or use --sandbox docker"
    } else {
        "name a version in the field runtime of task.toml that the language's image has, or build the image with it"
    };
    let asked = match ready.plan.runtime.as_str() {
        "" => format!("any {}", ready.language.name()),
        version => version.to_owned(),
    };
    ScoreError::Runtime { task: ready.task.spec.id.clone(), asked, found, hint }
}

/// The versions that are there, where the one that is asked for is not.
async fn other_runtimes(
    ready: &Ready,
    sandbox: &mut dyn Sandbox,
    at: &Places,
) -> Result<Option<String>, crate::sandbox::SandboxError> {
    let Some((program, list)) = ready.language.runtimes(&ready.plan, at) else { return Ok(None) };
    let words = ["/bin/sh", "-c", "command -v \"$1\"", "sh", &program].map(str::to_owned).to_vec();
    if run(sandbox, &Step { words, ..list.clone() }, 60).await?.end.good() {
        return Ok(None);
    }
    let said = run(sandbox, &list, 60).await?.stdout.text();
    let is_number = |line: &&str| line.split('.').all(|part| part.parse::<u32>().is_ok());
    let mut found: Vec<&str> = said.lines().map(str::trim).filter(is_number).collect();
    found.sort_by_key(|v| v.split('.').map(|p| p.parse().unwrap_or(0)).collect::<Vec<u32>>());
    found.dedup();
    Ok(Some(if found.is_empty() { "none".to_owned() } else { found.join(", ") }))
}

/// The exact version of the runtime inside a sandbox of the task's image, as the runtime itself says it.
pub async fn runtime_in(ready: &Ready, sandbox: &mut dyn Sandbox) -> Result<String, crate::sandbox::SandboxError> {
    let at = places(sandbox, "unused").await?;
    let done = run(sandbox, &ready.language.version(&ready.plan, &at), 60).await?;
    // Java says it on its standard error.
    let (out, err) = (done.stdout.text(), done.stderr.text());
    Ok(out.lines().chain(err.lines()).map(str::trim).find(|l| !l.is_empty()).unwrap_or("").to_owned())
}

/// Whether what a runtime says of itself names the version that was asked for.
fn says_version(said: &str, asked: &str) -> bool {
    let starts = said
        .char_indices()
        .filter(|(i, c)| c.is_ascii_digit() && !said[..*i].ends_with(|p: char| p.is_ascii_digit() || p == '.'));
    let Some(from) = starts.map(|(i, _)| i).next() else { return false };
    let number = said[from..].split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or("");
    // Java 8 still called itself 1.8.
    let number = number.strip_prefix("1.").filter(|_| said.contains("jdk") || said.contains("java")).unwrap_or(number);
    is_version(asked, number)
}

async fn run(sandbox: &mut dyn Sandbox, step: &Step, seconds: u64) -> Result<Finished, crate::sandbox::SandboxError> {
    let command =
        Command { dir: inside(sandbox, &step.dir), env: step.env.clone(), seconds, ..Command::new(step.words.clone()) };
    sandbox.exec(&command).await
}

/// Where things are for a sandbox's commands.
pub(super) async fn places(sandbox: &mut dyn Sandbox, report: &str) -> Result<Places, crate::sandbox::SandboxError> {
    let asked = sandbox.exec(&Command::shell("printf %s \"$PATH\"")).await?;
    Ok(Places {
        tree: sandbox.path(TREE),
        home: sandbox.path(HOME),
        tools: sandbox.path(TOOLS),
        report: sandbox.path(report),
        path: asked.stdout.text(),
    })
}

/// A folder as the sandbox names it, from the path by which commands name it.
pub(super) fn inside(sandbox: &dyn Sandbox, dir: &str) -> String {
    let root = sandbox.path("/");
    dir.strip_prefix(root.trim_end_matches('/')).unwrap_or(dir).to_owned()
}

/// The lease of a sandbox: its work's time and ample time around it.
pub(super) fn lease(task: &Task, seconds: u64) -> Result<Lease, ScoreError> {
    Lease::new(&task.suite, &task.spec.id, Duration::from_secs(seconds * 4 + 1800))
        .map_err(ScoreError::sandbox(&task.spec.id))
}

/// A tree as files for a sandbox.
pub(super) fn files(store: &Store, tree: &Tree) -> Result<Vec<File>, crate::git::GitError> {
    let blobs: Vec<&str> = tree.values().map(|e| e.blob.as_str()).collect();
    let bodies = store.many(&blobs)?;
    Ok(tree
        .iter()
        .zip(bodies)
        .map(|((path, entry), bytes)| match entry.mode {
            Mode::File => File { mode: 0o644, ..File::new(path.clone(), bytes) },
            Mode::Executable => File { mode: 0o755, ..File::new(path.clone(), bytes) },
            Mode::Link => {
                File { path: path.clone(), mode: 0o777, body: Body::Link(String::from_utf8_lossy(&bytes).into_owned()) }
            }
        })
        .collect())
}

pub(super) fn tools(language: &dyn Language) -> Vec<File> {
    language.tools().iter().map(|t| File { mode: 0o755, ..File::new(t.name, t.bytes) }).collect()
}

fn tail(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(3000);
    text.chars().skip(skip).collect()
}

#[cfg(test)]
mod tests {
    use super::says_version;

    #[test]
    fn every_runtime_is_held_to_the_version_that_was_asked_for() {
        for (said, asked) in [
            ("Python 3.12.1", "3.12"),
            ("v20.11.1", "20.11.1"),
            ("go version go1.22.3 linux/amd64", "1.22"),
            ("openjdk version \"17.0.9\" 2023-10-17", "17"),
            ("openjdk version \"1.8.0_392\"", "8"),
        ] {
            assert!(says_version(said, asked), "{said}");
            assert!(!says_version(said, "99"), "{said}");
        }
        assert!(!says_version("v20.11.1", "20.1") && !says_version("no such program", "3"));
    }
}
