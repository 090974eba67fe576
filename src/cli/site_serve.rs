use super::Exit;
use clap::Args;

/// Serve.
#[derive(Args, Debug)]
pub struct Serve {}

pub fn serve(_: &Serve) -> anyhow::Result<Exit> { Ok(Exit::Good) }
