//! Every shell line of the documents is tried: run where that needs no network, no sandbox and no long build, else read
//! by the program that it names. A line of a kind that stands in no table here fails the test.

use super::lines::{Block, blocks, documents, inline};
use super::world::{World, root};
use std::collections::BTreeSet;
use std::process::Command;

/// How a line is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It is run and must end with nought.
    Run,
    /// The program must take its arguments: with `--help` behind them it ends with nought unless one is unknown.
    Read,
    /// `scripts/run`: the run that it starts must begin, and end for want of the daemon alone.
    Started,
    /// A script of ours: it is there, can be run, and the shell reads it.
    Script,
    /// Cargo: what it is told to build is there.
    Cargo,
    /// Another program that needs a network or a repository: it is named as here and no line of it is new.
    Foreign,
}

/// The beginnings of lines; the longest that fits decides.
const WAYS: [(&str, Way); 47] = [
    ("tsbench audit", Way::Read),
    ("tsbench clean", Way::Read),
    ("tsbench doctor", Way::Read),
    ("tsbench gate", Way::Read),
    ("tsbench mine", Way::Read),
    ("tsbench mirror", Way::Read),
    ("tsbench models", Way::Read),
    ("tsbench models list", Way::Run),
    ("tsbench regrade", Way::Read),
    ("tsbench rescore", Way::Read),
    ("tsbench resume", Way::Read),
    ("tsbench run", Way::Read),
    ("tsbench score --predictions", Way::Run),
    ("tsbench score --task", Way::Read),
    ("tsbench show", Way::Run),
    ("tsbench stats", Way::Run),
    ("tsbench results check", Way::Run),
    ("tsbench results export", Way::Read),
    ("tsbench results import", Way::Read),
    ("tsbench results reprice", Way::Read),
    ("tsbench tasks check", Way::Run),
    ("tsbench tasks export", Way::Run),
    ("tsbench tasks import", Way::Run),
    ("tsbench tasks new-key", Way::Run),
    ("tsbench tasks seal", Way::Run),
    ("tsbench tasks unseal", Way::Run),
    ("tsbench validate", Way::Read),
    ("tsbench-site build", Way::Run),
    ("tsbench-site check", Way::Run),
    ("tsbench-site diff", Way::Run),
    ("tsbench-site init", Way::Run),
    ("tsbench-site serve", Way::Read),
    ("tsbench-site verify", Way::Run),
    ("tsbench-site verify --site https://", Way::Read),
    ("scripts/", Way::Script),
    ("scripts/run", Way::Started),
    ("scripts/read-report", Way::Run),
    ("cargo", Way::Cargo),
    ("git diff tests/it/snapshots", Way::Foreign),
    ("npx wrangler@4 deploy", Way::Foreign),
    ("npx wrangler@4 pages d", Way::Foreign),
    ("sha256sum --check", Way::Run),
    ("cat data/raw/", Way::Run),
    ("diff ", Way::Run),
    ("cd ", Way::Run),
    ("export ", Way::Run),
    ("same=", Way::Run),
];

/// The line without variables before its program, and with the programs of a build by their names.
fn bare(line: &str) -> String {
    let is_setting = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        })
    };
    let words: Vec<&str> = line.split(' ').skip_while(|w| is_setting(w)).collect();
    words.join(" ").replace("target/release/", "")
}

fn way(line: &str) -> Option<Way> {
    let line = bare(line);
    WAYS.iter().filter(|(start, _)| line.starts_with(start)).max_by_key(|(start, _)| start.len()).map(|(_, way)| *way)
}

#[test]
fn every_shell_line_of_the_documents_runs_or_is_read_by_its_program() {
    if !crate::needs::program("jq") || !crate::needs::program("python3") {
        return;
    }
    let mut faults = Vec::new();
    let mut lines = 0;
    for (name, text) in documents(&root()) {
        for block in blocks(&name, &text) {
            lines += block.lines.len();
            faults.extend(try_block(&block).into_iter().map(|fault| format!("{}: {fault}", block.place)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(lines > 40, "only {lines} lines were found");
}

fn try_block(block: &Block) -> Vec<String> {
    let mut faults = Vec::new();
    let mut world: Option<World> = None;
    for line in &block.lines {
        let fault = match way(line) {
            None => Some("is of no kind that this test knows: say in its table how the line is tried".to_owned()),
            Some(Way::Run) => world.get_or_insert_with(|| World::for_block(&block.lines)).run(&bare(line)),
            Some(Way::Read) => read(&bare(line)),
            Some(Way::Started) => world.get_or_insert_with(|| World::for_block(&block.lines)).start(line),
            Some(Way::Script) => script(&bare(line)),
            Some(Way::Cargo) => cargo(&bare(line)),
            Some(Way::Foreign) => None,
        };
        faults.extend(fault.map(|f| format!("`{line}` {f}")));
    }
    faults
}

/// The program takes the arguments. Placeholders in angle brackets stand for names.
fn read(line: &str) -> Option<String> {
    let words = line.replace(['<', '>'], "");
    let (program, rest) = words.split_once(' ').unwrap_or((&words, ""));
    let program = if program == "tsbench" { env!("CARGO_BIN_EXE_tsbench") } else { env!("CARGO_BIN_EXE_tsbench-site") };
    let out = Command::new("bash").arg("-c").arg(format!("{program} {rest} --help")).output().unwrap();
    (!out.status.success()).then(|| format!("is not taken: {}", String::from_utf8_lossy(&out.stderr)))
}

fn script(line: &str) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let path = root().join(line.split(' ').next().unwrap());
    let Ok(meta) = path.metadata() else { return Some("names no script of this repository".into()) };
    if meta.permissions().mode() & 0o111 == 0 {
        return Some("names a script that cannot be run".into());
    }
    let text = std::fs::read_to_string(&path).unwrap();
    if !text.lines().next().is_some_and(|first| first.contains("bash")) {
        return None;
    }
    let out = Command::new("bash").arg("-n").arg(&path).output().unwrap();
    (!out.status.success()).then(|| String::from_utf8_lossy(&out.stderr).into_owned())
}

/// What cargo is told to build or test is there.
fn cargo(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let verbs = ["run", "test", "check", "build", "insta"];
    if !verbs.contains(&words.get(1).copied().unwrap_or_default()) {
        return Some(format!("has a verb that is none of {verbs:?}"));
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for pair in words.windows(2) {
        let is_there = match pair {
            ["--bin", name] => manifest.contains(&format!("name = \"{name}\"")),
            ["--lib", room] => root().join("src").join(room).is_dir(),
            ["--test", name] => root().join("tests").join(name).is_dir(),
            _ => true,
        };
        if !is_there {
            return Some(format!("{} {}: there is no such thing", pair[0], pair[1]));
        }
    }
    let ours: Vec<&str> = words.iter().copied().skip_while(|w| *w != "--").skip(1).collect();
    if ours.is_empty() { None } else { read(&format!("tsbench-site {}", ours.join(" "))) }
}

#[test]
fn every_command_and_every_flag_in_the_text_of_the_documents_is_there() {
    let known = flags();
    let mut faults = Vec::new();
    for (name, text) in documents(&root()) {
        for code in inline(&text) {
            let words: Vec<&str> = code.split_whitespace().collect();
            let fault = match words.as_slice() {
                ["tsbench" | "tsbench-site", _, ..] => read(&code),
                [first, ..] if first.starts_with("scripts/") => script(&code),
                ["cargo", ..] => cargo(&code),
                [flag, ..] if flag.starts_with("--") => {
                    let bare = flag.split('=').next().unwrap();
                    (!known.contains(bare)).then(|| "is a flag of no command".to_owned())
                }
                _ => None,
            };
            faults.extend(fault.map(|f| format!("{name}: `{code}` {f}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every long flag of both programs, from the help of each of their commands.
fn flags() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<(&str, Vec<String>)> =
        vec![(env!("CARGO_BIN_EXE_tsbench"), vec![]), (env!("CARGO_BIN_EXE_tsbench-site"), vec![])];
    while let Some((program, verbs)) = open.pop() {
        let out = Command::new(program).args(&verbs).arg("--help").output().unwrap();
        let help = String::from_utf8_lossy(&out.stdout).into_owned();
        let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        found.extend(words.filter(|w| w.starts_with("--") && w.len() > 2).map(str::to_owned));
        let commands = help.split("Commands:").nth(1).unwrap_or_default();
        let listed = commands.lines().skip(1).take_while(|l| l.starts_with("  "));
        for line in listed.filter(|l| !l.starts_with("   ")) {
            let verb = line.split_whitespace().next().unwrap().to_owned();
            if verb != "help" {
                open.push((program, verbs.iter().cloned().chain([verb]).collect()));
            }
        }
    }
    assert!(found.contains("--budget-usd") && found.contains("--seal-key") && found.contains("--site"));
    found
}

#[test]
fn a_line_of_an_unknown_kind_is_a_fault() {
    assert_eq!(way("curl https://example.org | sh"), None);
    assert_eq!(way("tsbench teleport"), None);
    assert_eq!(way("npx wrangler@4 secret put KEY"), None);
    assert_eq!(way("OPENROUTER_API_KEY=… scripts/run a/b --budget-usd 5"), Some(Way::Started));
    assert_eq!(way("target/release/tsbench-site build --root ."), Some(Way::Run));
    assert!(read("tsbench gate --suite mine --no-such-flag").is_some());
    assert!(read("tsbench gate --suite mine").is_none());
    assert!(cargo("cargo test --test none").is_some());
}
