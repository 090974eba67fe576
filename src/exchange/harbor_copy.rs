//! `COPY` and `ADD` of an image's recipe, in every form that brings files of the recipe's own folder.

use super::harbor_recipe::{Image, Step, clean, is_about_the_image};
use crate::git::Mode;
use crate::schema::wildcard;
use crate::tasks::Files;
use std::collections::BTreeSet;

/// Endings of archives that `ADD` unpacks.
const ARCHIVES: [&str; 9] = [".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst"];

/// What stands in front of an instruction's files.
#[derive(Default)]
struct Flags {
    /// It reads another image.
    foreign: bool,
    /// Whether its files can be run; as they are where it does not say it.
    executable: Option<bool>,
}

/// Does what an instruction says.
pub(super) fn copy(step: &Step, context: &Files, image: &mut Image) -> Result<(), String> {
    let (flags, rest) = flags(step.rest.trim())?;
    let mut words = words(rest)?.iter().map(|w| image.filled(w)).collect::<Result<Vec<_>, String>>()?;
    let Some(to) = words.pop().filter(|_| !words.is_empty()) else {
        return Err("it names no place to copy to".into());
    };
    let place = clean(&image.workdir, &to);
    let why = unknown(step, &flags, &words);
    if let Some(why) = why {
        image.unknown.push((step.line, place, why.to_owned()));
        return Ok(());
    }
    let mut found = Vec::new();
    for word in &words {
        let names = matching(context, word)?;
        if names.is_empty() {
            return Err(format!("environment/ has no {word:?}"));
        }
        found.extend(names);
    }
    let folder = format!("{place}/");
    let is_folder = ["", ".", ".."].contains(&to.rsplit('/').next().unwrap_or(""))
        || found.len() > 1
        || place.is_empty()
        || image.workdir == place
        || image.workdir.starts_with(&folder)
        || image.files.keys().any(|p| p.starts_with(&folder));
    for name in found {
        let file = context.get(&name);
        let inside = if name.is_empty() { String::new() } else { format!("{name}/") };
        let one = file.map(|f| (name.rsplit('/').next().unwrap_or(&name).to_owned(), f.clone()));
        let many = context.iter().filter(|(p, _)| file.is_none() && !is_about_the_image(p));
        let many = many.filter_map(|(p, f)| Some((p.strip_prefix(&inside)?.to_owned(), f.clone())));
        for (path, (mode, bytes)) in one.into_iter().chain(many) {
            let to = if file.is_some() && !is_folder { place.clone() } else { clean(&place, &path) };
            let mode = match flags.executable {
                Some(yes) if mode != Mode::Link => {
                    if yes {
                        Mode::Executable
                    } else {
                        Mode::File
                    }
                }
                _ => mode,
            };
            image.files.insert(to, (mode, bytes));
        }
    }
    image.copied.push((step.line, place));
    Ok(())
}

/// Why what an instruction brings is not here.
fn unknown(step: &Step, flags: &Flags, words: &[String]) -> Option<&'static str> {
    let address = |w: &String| w.contains("://") || w.starts_with("git@");
    let archive = |w: &String| ARCHIVES.iter().any(|end| w.to_lowercase().ends_with(end));
    match () {
        () if flags.foreign => Some("they are another image's"),
        () if step.inline => Some("they stand in the recipe itself"),
        () if step.word == "ADD" && words.iter().any(address) => Some("they are behind an address"),
        () if step.word == "ADD" && words.iter().any(archive) => Some("an archive is unpacked; copy its files instead"),
        () => None,
    }
}

/// The flags in front, and the rest.
fn flags(text: &str) -> Result<(Flags, &str), String> {
    let (mut flags, mut rest) = (Flags::default(), text);
    while rest.starts_with("--") {
        let (flag, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
        match name {
            "--from" => flags.foreign = true,
            // Of a mode in letters it is not told apart who may run the file.
            "--chmod" => flags.executable = u32::from_str_radix(value, 8).ok().map(|m| m & 0o111 != 0),
            "--chown" | "--link" | "--checksum" | "--keep-git-dir" => {}
            _ => return Err(format!("what {name} does to the files is not known here: write the line without it")),
        }
        rest = after.trim_start();
    }
    Ok((flags, rest))
}

/// The words of an instruction: apart by blanks, or a list as JSON has it.
fn words(rest: &str) -> Result<Vec<String>, String> {
    if rest.starts_with('[') && rest.trim_end().ends_with(']') {
        return serde_json::from_str(rest).map_err(|e| format!("its list is no list of texts as JSON has it: {e}"));
    }
    Ok(rest.split_whitespace().map(|w| w.trim_matches(['"', '\'']).to_owned()).collect())
}

/// The files and folders of the context that a word means, of which the whole context is the empty name.
fn matching(context: &Files, word: &str) -> Result<Vec<String>, String> {
    if word.split('/').any(|p| p == "..") {
        return Err("it leads out of environment/".into());
    }
    if word.contains(['[', '\\']) {
        return Err(format!("the pattern {word:?} has more than * and ?: name the files"));
    }
    let pattern = clean("", word);
    if pattern.is_empty() {
        return Ok(vec![pattern]);
    }
    let parts: Vec<&str> = pattern.split('/').collect();
    let mut found = BTreeSet::new();
    for path in context.keys() {
        let names: Vec<&str> = path.split('/').collect();
        if names.len() >= parts.len() && parts.iter().zip(&names).all(|(p, n)| wildcard(p, n)) {
            found.insert(names[..parts.len()].join("/"));
        }
    }
    Ok(found.into_iter().collect())
}
