use super::Exit;
use super::machine::Daemon;
use super::say;
use crate::sandbox::{DockerHost, Patience, Provider};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Tell what this machine has and lacks, with remedies: 3 where git is missing, which everything needs, or a daemon that
/// was named by its address does not answer.
#[derive(Args, Debug)]
pub struct Doctor {
    #[command(flatten)]
    daemon: Daemon,
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

/// Runs `tsbench doctor`: 3 where something required, or a daemon that was named, is missing.
pub fn run(args: &Doctor) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    let mut missing = false;
    for need in NEEDS {
        let found = version(need.command);
        missing |= found.is_none() && need.required;
        rows.push((need.name, found, need.for_what, need.remedy.to_owned(), need.required));
    }
    let daemon = daemon(args)?;
    missing |= daemon.iter().any(|(_, found, _, _, required)| found.is_none() && *required);
    rows.extend(daemon);
    let results = Path::new("results").is_dir();
    rows.push((
        "results/",
        results.then(|| "found".to_owned()),
        "the raw runs that a site is built from",
        "tsbench-site init DIR makes a working folder".to_owned(),
        false,
    ));
    let content = Path::new("content/site.toml").is_file();
    rows.push((
        "content/site.toml",
        content.then(|| "found".to_owned()),
        "the boards and names of a site",
        "tsbench-site init DIR makes a working folder".to_owned(),
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

type Found = (&'static str, Option<String>, &'static str, String, bool);

/// The daemon that sandboxes would use, and the images that they start from.
fn daemon(args: &Doctor) -> anyhow::Result<Vec<Found>> {
    const IMAGES: [&str; 4] = ["tsbench/python:1", "tsbench/node:1", "tsbench/java:1", "tsbench/go:1"];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let for_what = "isolated sandboxes of tsbench gate and score; without it there is --sandbox local";
        // One that was named is needed: nobody names a daemon to do without it.
        let address = args.daemon.address();
        let named = !matches!(address, Ok(None));
        let patience = Patience { answer: Duration::from_secs(10), ..Patience::default() };
        let host = match address {
            Ok(address) => DockerHost::connect(address.as_deref(), patience).await,
            Err(e) => Err(e),
        };
        let mut rows = Vec::new();
        match &host {
            Ok(host) => rows.push(("docker", host.about().await.ok(), for_what, String::new(), named)),
            Err(e) => {
                let why = e.to_string().replace("\nhint: ", "; ");
                let remedy =
                    format!("{why}; if it is not there: apt-get install docker.io, start dockerd, then scripts/images");
                rows.push(("docker", None, for_what, remedy, named));
            }
        }
        if let Ok(host) = &host {
            let found = host.limits_calls().await.unwrap_or(false);
            rows.push((
                "seccomp",
                found.then(|| "our list of system calls".to_owned()),
                "containers that can make no sockets but those of their own network",
                "use a kernel and a Docker daemon with seccomp: `docker info` names it among the security options"
                    .to_owned(),
                named,
            ));
        }
        for name in IMAGES {
            let found = match &host {
                Ok(host) => Provider::Docker(host.clone()).image(name).await.ok().flatten().map(|i| i.id),
                Err(_) => None,
            };
            rows.push((
                name,
                found,
                "tasks of its language under --sandbox docker",
                "scripts/images".to_owned(),
                false,
            ));
        }
        Ok(rows)
    })
}

/// What colours a terminal, which is nothing to read.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or("").to_owned();
    // `ESC [ 1 m` and the like: up to the first letter.
    parts.fold(first, |all, part| {
        let rest = part.strip_prefix('[').map_or(part, |p| p.trim_start_matches(|c: char| !c.is_ascii_alphabetic()));
        all + rest.get(1..).unwrap_or("")
    })
}

/// The first line that a program says of its version.
fn version(command: &[&str]) -> Option<String> {
    let (program, args) = command.split_first()?;
    let out = Command::new(program).args(args).stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    let text = if out.stdout.is_empty() { out.stderr } else { out.stdout };
    Some(without_escapes(String::from_utf8_lossy(&text).lines().next().unwrap_or("found")).trim().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_colours_of_a_programs_answer_are_left_out() {
        let said = "\u{1b}[1mApache Maven 3.8.7\u{1b}[m";
        assert_eq!(super::without_escapes(said), "Apache Maven 3.8.7");
        assert_eq!(super::without_escapes("plain [m text"), "plain [m text");
    }
}
