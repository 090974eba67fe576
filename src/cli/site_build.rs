use super::Exit;
use clap::Args;

/// Build.
#[derive(Args, Debug)]
pub struct Build {}

pub fn build(_: &Build) -> anyhow::Result<Exit> { Ok(Exit::Good) }
/// Init.
#[derive(Args, Debug)]
pub struct Init {}

pub fn init(_: &Init) -> anyhow::Result<Exit> { Ok(Exit::Good) }
