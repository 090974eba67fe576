//! Where keys enter the program: the environment and a `.env` file.

use crate::gateway::{Models, Secrets};
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};

/// Which models there are, and where their keys are.
#[derive(Args, Debug)]
pub struct Keys {
    /// File that describes the models
    #[arg(long, default_value = "models.toml", env = "TSBENCH_MODELS")]
    pub models: PathBuf,
    /// File with NAME=value lines for keys that the environment does not have
    #[arg(long, default_value = ".env", env = "TSBENCH_ENV_FILE")]
    pub env_file: PathBuf,
}

impl Keys {
    /// The models, and every secret that this process can know of.
    pub fn read(&self) -> anyhow::Result<(Models, Secrets)> {
        let models = Models::read(&self.models)?;
        let secrets = secrets(&models, &self.env_file)?;
        Ok((models, secrets))
    }
}

fn secrets(models: &Models, env_file: &Path) -> anyhow::Result<Secrets> {
    let dotenv = match std::fs::read_to_string(env_file) {
        Ok(text) => Some(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(e).with_context(|| format!("read {}", env_file.display())),
    };
    let environment =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(Secrets::gather(environment, dotenv.as_deref(), models.key_names()))
}
