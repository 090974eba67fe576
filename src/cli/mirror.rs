use super::Exit;
use super::say;
use crate::git::{Origin, add_mirror, mirror_folder, mirrors, update_mirror};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Keep bare mirrors of repositories, from which tasks are made and run.
#[derive(Args, Debug)]
pub struct Mirror {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Copy a repository into a new mirror; one that is there already is left as it is
    Add(Add),
    /// Fetch what the origins of mirrors have gained; nothing is removed
    Update(Update),
}

/// A repository and where its mirror goes.
#[derive(Args, Debug)]
struct Add {
    /// owner/name on GitHub, an address, or a folder
    origin: String,
    /// Repository that it is, owner/name [default: by the address or the folder's name]
    #[arg(long, env = "TSBENCH_REPO")]
    repo: Option<String>,
    /// Folder of mirrors, each named owner__name.git
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    mirrors: PathBuf,
}

/// Mirrors to bring up to date.
#[derive(Args, Debug)]
struct Update {
    /// Repositories, owner/name [default: every mirror of the folder]
    repos: Vec<String>,
    /// Folder of mirrors, each named owner__name.git
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    mirrors: PathBuf,
}

/// Runs `tsbench mirror`: 3 where an origin cannot be reached.
pub fn run(args: &Mirror) -> anyhow::Result<Exit> {
    match &args.verb {
        Verb::Add(add) => {
            let (origin, named) = Origin::parse(&add.origin).map_err(|why| {
                // What stands before the host may be a password.
                let shown = add.origin.rsplit_once('@').map_or(add.origin.clone(), |(_, rest)| format!("…@{rest}"));
                let hint = "write owner/name, https://…, ssh://… or a folder";
                anyhow::anyhow!("use {shown:?} as a repository: it {why}\nhint: {hint}")
            })?;
            let Some(repo) = add.repo.clone().filter(|r| !r.is_empty()).or(named) else {
                bail!("name the mirror of {}\nhint: say which repository it is with --repo owner/name", add.origin);
            };
            let (mirror, added) = make(&origin, &repo, &add.mirrors)?;
            say!("{repo}\t{}\t{}", if added { "added" } else { "there already" }, mirror.display());
            Ok(Exit::Good)
        }
        Verb::Update(update) => renew(update),
    }
}

/// Makes the mirror of a repository where it is missing; its folder, and whether it was made.
pub fn make(origin: &Origin, repo: &str, folder: &Path) -> anyhow::Result<(PathBuf, bool)> {
    let mirror = folder.join(folder_of(repo)?);
    if mirror.exists() {
        return Ok((mirror, false));
    }
    eprintln!("copying {} to {}", origin.as_str(), mirror.display());
    let added = add_mirror(origin, &mirror).with_context(|| format!("copy {repo}"))?;
    Ok((mirror, added))
}

/// The folder of a repository's mirror, or why the name cannot be meant.
fn folder_of(repo: &str) -> anyhow::Result<String> {
    mirror_folder(repo).with_context(|| {
        format!(
            "use {repo:?} as a repository\nhint: write owner/name, in letters, digits, dots, dashes and underscores"
        )
    })
}

fn renew(update: &Update) -> anyhow::Result<Exit> {
    let all = match update.repos.as_slice() {
        [] => mirrors(&update.mirrors)?,
        some => {
            let one = |repo: &String| Ok((repo.clone(), update.mirrors.join(folder_of(repo)?)));
            some.iter().map(one).collect::<anyhow::Result<Vec<_>>>()?
        }
    };
    if all.is_empty() {
        bail!("find a mirror in {}\nhint: tsbench mirror add owner/name", update.mirrors.display());
    }
    let mut failed = 0;
    for (repo, mirror) in &all {
        match update_mirror(mirror) {
            Ok(()) => say!("{repo}\tup to date"),
            Err(e) => {
                failed += 1;
                eprintln!("{repo}: failed to {e}");
            }
        }
    }
    Ok(if failed == 0 { Exit::Good } else { Exit::Missing })
}
