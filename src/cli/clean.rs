use super::Exit;
use super::machine::Machine;
use super::say;
use clap::Args;

/// End sandboxes that were left behind, and remove task images and downloads that are not needed.
#[derive(Args, Debug)]
pub struct Clean {
    #[command(flatten)]
    machine: Machine,
    /// Keep this much of the newest task images, MiB
    #[arg(long, default_value_t = 0, env = "TSBENCH_KEEP_MB")]
    keep_mb: u64,
}

/// Runs `tsbench clean`. Only what this program made is touched.
pub fn run(args: &Clean) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = args.machine.open().await?;
        for image in provider.evict(args.keep_mb << 20).await? {
            say!("{image}");
        }
        for volume in provider.forget_downloads().await? {
            say!("{volume}");
        }
        Ok(Exit::Good)
    })
}
