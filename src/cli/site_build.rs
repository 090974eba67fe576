use super::progress::Progress;
use super::say;
use super::{Exit, site_serve};
use crate::site::{Built, Request, SiteError, Watcher, build as build_site, init as init_site};
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::path::PathBuf;

/// Where a site is built from and to.
#[derive(Args, Debug, Clone)]
pub struct Place {
    /// Folder with results/, content/ and, where a site brings its own, site-templates/
    #[arg(long, default_value = ".", env = "TSBENCH_ROOT")]
    pub root: PathBuf,
    /// Folder of the site [default: ROOT/public]
    #[arg(long, env = "TSBENCH_OUT")]
    pub out: Option<PathBuf>,
    /// Address of the published site, for feeds, link previews and canonical links
    #[arg(long, env = "TSBENCH_BASE_URL")]
    pub base_url: Option<String>,
    /// Threads [default: one a core]
    #[arg(long, env = "TSBENCH_THREADS")]
    pub threads: Option<usize>,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    pub quiet: bool,
}

/// Compile raw files and content into a site.
#[derive(Args, Debug)]
pub struct Build {
    #[command(flatten)]
    place: Place,
    /// Serve the site when it is built, until interrupted
    #[arg(long, env = "TSBENCH_SERVE", value_parser = BoolishValueParser::new())]
    serve: bool,
    /// Port of --serve
    #[arg(long, default_value_t = 8788, env = "TSBENCH_PORT")]
    port: u16,
}

impl Place {
    /// The folder of the site.
    pub fn out(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| self.root.join("public"))
    }

    /// The build that these flags ask for.
    pub fn request(&self) -> anyhow::Result<Request> {
        let epoch = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(text) => Some(
                text.trim()
                    .parse()
                    .with_context(|| format!("read SOURCE_DATE_EPOCH: expected whole seconds, found {text:?}"))?,
            ),
            Err(_) => None,
        };
        Ok(Request { root: self.root.clone(), out: self.out(), base_url: self.base_url.clone(), epoch })
    }
}

impl Watcher for Progress {
    fn stage(&self, name: &str, steps: u64) {
        Progress::stage(self, name, steps);
    }

    fn step(&self) {
        Progress::step(self);
    }
}

/// Builds once and says what was done.
pub fn once(place: &Place) -> anyhow::Result<Built> {
    let request = place.request()?;
    let progress = Progress::start(place.quiet);
    let run = || build_site(&request, &progress);
    let end: Result<Built, SiteError> = match place.threads {
        Some(threads) => rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(run),
        None => run(),
    };
    progress.finish();
    let built = end?;
    for fault in &built.warnings {
        eprintln!("{fault}");
    }
    let w = &built.written;
    eprintln!(
        "{}: {} attempts, {} numbers, {} files, {} bytes; {} changed, {} removed",
        request.out.display(),
        built.attempts,
        built.numbers,
        w.files,
        w.bytes,
        w.changed,
        w.removed
    );
    eprintln!("{}", built.plan);
    Ok(built)
}

/// Runs `tsbench-site build`.
pub fn build(args: &Build) -> anyhow::Result<Exit> {
    once(&args.place)?;
    if args.serve { site_serve::until_interrupted(&args.place, args.port, false) } else { Ok(Exit::Good) }
}

/// Begin a leaderboard of one's own.
#[derive(Args, Debug)]
pub struct Init {
    /// A new folder
    dir: PathBuf,
}

/// Runs `tsbench-site init`.
pub fn init(args: &Init) -> anyhow::Result<Exit> {
    for path in init_site(&args.dir)? {
        say!("{}", path.display());
    }
    eprintln!("hint: tsbench-site build --root {} --serve", args.dir.display());
    Ok(Exit::Good)
}
