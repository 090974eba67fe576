use super::Exit;
use super::say;
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

/// Tell what this machine has and lacks, with remedies.
#[derive(Args, Debug)]
pub struct Doctor {
    /// Print as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

struct Need {
    name: &'static str,
    for_what: &'static str,
    command: &'static [&'static str],
    required: bool,
    remedy: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        name: "git",
        for_what: "recording where results come from",
        command: &["git", "--version"],
        required: true,
        remedy: "apt-get install git",
    },
    Need {
        name: "node",
        for_what: "the browser checks of scripts/test and previews with wrangler",
        command: &["node", "--version"],
        required: false,
        remedy: "apt-get install nodejs npm",
    },
    Need {
        name: "chromium",
        for_what: "the browser checks of scripts/test",
        command: &["chromium", "--version"],
        required: false,
        remedy: "apt-get install chromium",
    },
    Need {
        name: "docker",
        for_what: "isolated sandboxes of tsbench gate and score; without it there is --sandbox local",
        command: &["docker", "info", "--format", "{{.ServerVersion}} {{.Driver}}"],
        required: false,
        remedy: "apt-get install docker.io, start dockerd, then scripts/images",
    },
    Need {
        name: "java",
        for_what: "the HTML validity check of scripts/test",
        command: &["java", "-version"],
        required: false,
        remedy: "apt-get install default-jre-headless",
    },
];

/// Runs `tsbench doctor`: 3 where something required is missing.
pub fn run(args: &Doctor) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    let mut missing = false;
    for need in NEEDS {
        let found = version(need.command);
        missing |= found.is_none() && need.required;
        rows.push((need.name, found, need.for_what, need.remedy, need.required));
    }
    let results = Path::new("results").is_dir();
    rows.push((
        "results/",
        results.then(|| "found".to_owned()),
        "the raw runs that a site is built from",
        "tsbench-site init DIR makes a working folder",
        false,
    ));
    let content = Path::new("content/site.toml").is_file();
    rows.push((
        "content/site.toml",
        content.then(|| "found".to_owned()),
        "the boards and names of a site",
        "tsbench-site init DIR makes a working folder",
        false,
    ));
    if args.json {
        let list: Vec<_> = rows
            .iter()
            .map(|(n, f, w, r, q)| json!({"name": n, "found": f, "for": w, "remedy": r, "required": q}))
            .collect();
        say!("{}", serde_json::to_string_pretty(&list)?);
    } else {
        for (name, found, for_what, remedy, _) in &rows {
            match found {
                Some(version) => say!("ok       {name:<18} {version}"),
                None => say!("missing  {name:<18} needed for {for_what}\nhint: {remedy}"),
            }
        }
    }
    Ok(if missing { Exit::Missing } else { Exit::Good })
}

/// The first line that a program says of its version.
fn version(command: &[&str]) -> Option<String> {
    let (program, args) = command.split_first()?;
    let out = Command::new(program).args(args).stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    let text = if out.stdout.is_empty() { out.stderr } else { out.stdout };
    Some(String::from_utf8_lossy(&text).lines().next().unwrap_or("found").trim().to_owned())
}
