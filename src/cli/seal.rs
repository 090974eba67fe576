//! Tasks whose tests and fixes only the holders of a key can read.

use super::Exit;
use super::say;
use super::tasks::Which;
use crate::tasks::{self, Key, Task, find, load, recipients};
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::path::PathBuf;

/// Keep tests and fixes from the public.
#[derive(Args, Debug)]
pub struct Seal {
    #[command(flatten)]
    which: Which,
    /// For whom: age1…, as `tsbench tasks new-key` prints it; may stand several times
    #[arg(long = "recipient", required = true, env = "TSBENCH_RECIPIENT", value_delimiter = ',')]
    recipients: Vec<String>,
    /// Seal statement and tree too, so that nothing but the title is public
    #[arg(long, env = "TSBENCH_WHOLE", value_parser = BoolishValueParser::new())]
    whole: bool,
}

/// Open sealed tasks for good.
#[derive(Args, Debug)]
pub struct Unseal {
    #[command(flatten)]
    which: Which,
}

/// Write a new key.
#[derive(Args, Debug)]
pub struct NewKey {
    /// File to write the key into
    #[arg(long, env = "TSBENCH_SEAL_KEY")]
    seal_key: PathBuf,
}

/// The tasks that are meant, none of which is by chance.
fn named(which: &Which) -> anyhow::Result<Vec<Task>> {
    which.suite().or(which.task()).context("choose tasks\nhint: name a suite with --suite or a task with --task")?;
    Ok(find(&load(&which.tasks)?, which.suite(), which.task())?)
}

/// Runs `tsbench tasks seal`.
pub fn seal(args: &Seal) -> anyhow::Result<Exit> {
    let recipients = recipients(&args.recipients)?;
    for task in named(&args.which)? {
        if task.spec.sealed.is_some() {
            eprintln!("{} is sealed already", task.spec.id);
            continue;
        }
        let sealed = tasks::seal(&task, &recipients, args.whole)?;
        say!("{}\t{}", sealed.archive_sha256, task.spec.id);
    }
    eprintln!("what git has of these folders from before stays readable: seal before the first commit");
    Ok(Exit::Good)
}

/// Runs `tsbench tasks unseal`.
pub fn unseal(args: &Unseal) -> anyhow::Result<Exit> {
    let file = args.which.seal_key.as_ref().context("open tasks\nhint: name the file of the key with --seal-key")?;
    let key = Key::read(file)?;
    for task in named(&args.which)?.into_iter().filter(|t| t.spec.sealed.is_some()) {
        tasks::unseal_in_place(&task, &key)?;
        say!("{}", task.spec.id);
    }
    Ok(Exit::Good)
}

/// Runs `tsbench tasks new-key`.
pub fn new_key(args: &NewKey) -> anyhow::Result<Exit> {
    say!("{}", tasks::new_key(&args.seal_key)?);
    Ok(Exit::Good)
}
