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
        name: "podman",
        for_what: "containers without a daemon of root's: --sandbox podman",
        command: &["podman", "--version"],
        required: false,
        remedy: "apt-get install podman, then podman system service --time 0",
    },
    Need {
        name: "python3",
        for_what: "Python tasks under --sandbox local",
        command: &["python3", "--version"],
        required: false,
        remedy: "apt-get install python3-venv",
    },
    Need {
        name: "go",
        for_what: "Go tasks under --sandbox local",
        command: &["go", "version"],
        required: false,
        remedy: "apt-get install golang",
    },
    Need {
        name: "mvn",
        for_what: "Java tasks under --sandbox local",
        command: &["mvn", "--version"],
        required: false,
        remedy: "apt-get install maven",
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
    rows.extend(images());
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

type Found = (&'static str, Option<String>, &'static str, &'static str, bool);

/// The images that sandboxes start from.
fn images() -> Vec<Found> {
    const IMAGES: [&str; 4] = ["tsbench/python:1", "tsbench/node:1", "tsbench/java:1", "tsbench/go:1"];
    let size = |name| version(&["docker", "image", "inspect", "--format", "{{.Id}}", name]);
    let row = |name| (name, size(name), "tasks of its language under --sandbox docker", "scripts/images", false);
    IMAGES.map(row).into()
}

/// The first line that a program says of its version.
fn version(command: &[&str]) -> Option<String> {
    let (program, args) = command.split_first()?;
    let out = Command::new(program).args(args).stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    let text = if out.stdout.is_empty() { out.stderr } else { out.stdout };
    Some(String::from_utf8_lossy(&text).lines().next().unwrap_or("found").trim().to_owned())
}
