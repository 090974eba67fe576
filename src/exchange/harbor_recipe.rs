//! What the recipe of an image copies into its folders, read without building anything. A line that is not understood is
//! an error where it may bring files into the work folder: a tree that lacks a file would be another task.

use super::harbor_copy::copy;
use crate::tasks::Files;
use std::collections::BTreeMap;

/// The folder of the recipe's files within a task.
const CONTEXT: &str = "environment/";
const DOCKERFILE: &str = "environment/Dockerfile";
/// Where a recipe works that does not say it.
const WORK: &str = "/app";

/// What a recipe tells.
#[derive(Debug, Default)]
pub(super) struct Recipe {
    /// The folder in which work is done.
    pub workdir: String,
    /// The files that are copied into it.
    pub tree: Files,
    /// Whether programs are run.
    pub runs: bool,
    /// What it copies that is not in the tree.
    pub losses: Vec<String>,
}

/// One instruction: its line, its word in capitals, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub line: usize,
    pub word: String,
    pub rest: String,
    /// Whether the lines behind it are a text of its own.
    pub inline: bool,
}

/// The image while it is read. Places are without their first slash.
#[derive(Clone, Default)]
pub(super) struct Image {
    pub files: Files,
    pub workdir: String,
    /// Whether the recipe itself named the work folder.
    said: bool,
    env: BTreeMap<String, String>,
    /// Where each line copies to.
    pub copied: Vec<(usize, String)>,
    /// Where a line brings what is not here: line, place, reason.
    pub unknown: Vec<(usize, String, String)>,
}

/// Reads the recipe in a task's files; `stated` is the work folder that the task names itself.
pub(super) fn read(text: &str, files: &Files, stated: Option<&str>) -> Result<Recipe, String> {
    let context: Files =
        files.iter().filter_map(|(p, f)| Some((p.strip_prefix(CONTEXT)?.to_owned(), f.clone()))).collect();
    let begin = || Image { workdir: clean("", stated.unwrap_or(WORK)), ..Image::default() };
    let (mut image, mut stages) = (begin(), BTreeMap::<String, Image>::new());
    let (mut name, mut runs) = (String::new(), false);
    for step in steps(text) {
        let at = |why: String| format!("line {} of {DOCKERFILE}, {} {}: {why}", step.line, step.word, step.rest.trim());
        match step.word.as_str() {
            "FROM" => {
                stages.insert(std::mem::take(&mut name), image.clone());
                let mut parts = step.rest.split_whitespace().filter(|w| !w.starts_with("--"));
                let base = parts.next().unwrap_or("").to_lowercase();
                let env = std::mem::take(&mut image.env);
                image = stages.get(&base).filter(|_| !base.is_empty()).cloned().unwrap_or_else(begin);
                image.env.extend(env);
                name = parts.nth(1).unwrap_or("").to_lowercase();
            }
            "ENV" | "ARG" => image.learn(&step.rest),
            "WORKDIR" => {
                let to = image.filled(step.rest.trim().trim_matches('"')).map_err(at)?;
                image.workdir = clean(&image.workdir, &to);
                image.said = true;
            }
            "COPY" | "ADD" => copy(&step, &context, &mut image).map_err(at)?,
            "RUN" => runs = true,
            _ => {}
        }
    }
    let workdir = if stated.is_none() && image.said { image.workdir.clone() } else { begin().workdir };
    finish(&image, workdir, &context, runs)
}

fn finish(image: &Image, workdir: String, context: &Files, runs: bool) -> Result<Recipe, String> {
    let touches = |place: &str| below(place, &workdir).is_some() || below(&workdir, place).is_some();
    if let Some((line, place, why)) = image.unknown.iter().find(|(_, place, _)| touches(place)) {
        return Err(format!("line {line} of {DOCKERFILE} brings files to /{place} that are not here: {why}"));
    }
    let unknown = image.unknown.iter().map(|(line, place, _)| (line, place));
    let outside = image.copied.iter().map(|(line, place)| (line, place)).chain(unknown).filter(|(_, p)| !touches(p));
    let mut losses: Vec<String> = outside
        .map(|(line, place)| format!("what line {line} of {DOCKERFILE} copies to /{place}, outside of the work folder"))
        .collect();
    let inside = |(place, file): (&String, &_)| Some((below(place, &workdir)?.to_owned(), Clone::clone(file)));
    let tree: Files = image.files.iter().filter_map(inside).collect();
    if tree.is_empty() && context.keys().any(|p| !is_about_the_image(p)) {
        losses.push(format!(
            "{CONTEXT}: nothing of it is copied into the work folder /{workdir}, so that the tree is empty"
        ));
    }
    if context.contains_key(".dockerignore") {
        losses.push(".dockerignore is not followed: folders are copied whole".into());
    }
    Ok(Recipe { workdir: format!("/{workdir}"), tree, runs, losses })
}

/// Files beside the recipe that are about the image and not of it.
pub(super) fn is_about_the_image(path: &str) -> bool {
    ["Dockerfile", "docker-compose.yaml", "docker-compose.yml", ".dockerignore"].contains(&path)
}

/// What of a place is below a folder, nothing where it is elsewhere.
fn below<'p>(place: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(place),
        _ if place == folder => Some(""),
        _ => place.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// A place, seen from a folder, without its first slash and without `.` and `..`.
pub(super) fn clean(from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = if to.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    for part in to.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.retain(|p| !p.is_empty());
    parts.join("/")
}

impl Image {
    /// Keeps the variables of `ENV` and `ARG`: `NAME=value` as often as wanted, or `NAME value`.
    fn learn(&mut self, rest: &str) {
        let plain = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let (first, more) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        let pairs: Vec<(&str, &str)> = match first.contains('=') {
            true => rest.split_whitespace().filter_map(|w| w.split_once('=')).collect(),
            false if more.is_empty() => Vec::new(),
            false => vec![(first, more.trim())],
        };
        for (name, value) in pairs {
            // A value that cannot be told is told of where it is used.
            match self.filled(&plain(value)) {
                Ok(value) => drop(self.env.insert(name.to_owned(), value)),
                Err(_) => drop(self.env.remove(name)),
            }
        }
    }

    /// A text with its variables filled in.
    pub(super) fn filled(&self, text: &str) -> Result<String, String> {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let (name, left) = match after.strip_prefix('{') {
                Some(inner) => inner.split_once('}').unwrap_or((inner, "")),
                None => {
                    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                    after.split_at(end)
                }
            };
            let value = self.env.get(name).ok_or_else(|| format!("the recipe does not tell what ${{{name}}} is"))?;
            out.push_str(value);
            rest = left;
        }
        Ok(out + rest)
    }
}

/// The instructions of a recipe: lines that go on are joined, comments and texts within are passed by.
fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = text.lines().enumerate();
    let told = |line: &str| !line.is_empty() && !line.starts_with('#');
    while let Some((number, line)) = lines.next() {
        let mut part = line.trim();
        if !told(part) {
            continue;
        }
        let mut whole = String::new();
        while let Some(kept) = part.strip_suffix('\\') {
            whole.push_str(kept);
            whole.push(' ');
            part = lines.by_ref().map(|(_, l)| l.trim()).find(|l| told(l)).unwrap_or("");
        }
        whole.push_str(part);
        let (word, rest) = whole.split_once(char::is_whitespace).unwrap_or((&whole, ""));
        let word = word.to_uppercase();
        let ends = if ["RUN", "COPY", "ADD"].contains(&word.as_str()) { ends_of_texts(rest) } else { Vec::new() };
        for end in &ends {
            let _ = lines.by_ref().find(|(_, l)| l.trim() == end);
        }
        steps.push(Step { line: number + 1, word, rest: rest.to_owned(), inline: !ends.is_empty() });
    }
    steps
}

/// The words at which the texts of an instruction end: `<<EOF`, `<<-"EOF"`.
fn ends_of_texts(rest: &str) -> Vec<String> {
    let mut ends = Vec::new();
    for (i, _) in rest.match_indices("<<") {
        let after = &rest[i + 2..];
        if after.starts_with('<') || rest[..i].ends_with('<') {
            continue;
        }
        let word = after.strip_prefix('-').unwrap_or(after).trim_start_matches(['"', '\'']);
        let word: String = word.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if !word.is_empty() {
            ends.push(word);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Mode;

    fn files() -> Files {
        let names = ["calc.py", "main.py", "data/x.txt", "data/deep/y.txt", "Dockerfile", "a.tar.gz"];
        names.iter().map(|n| (format!("environment/{n}"), (Mode::File, n.as_bytes().to_vec()))).collect()
    }

    fn tree(recipe: &str) -> Result<Vec<String>, String> {
        read(&format!("FROM x\nWORKDIR /app\n{recipe}\n"), &files(), None).map(|r| r.tree.into_keys().collect())
    }

    #[test]
    fn every_form_of_copying_brings_its_files() {
        for (line, want) in [
            ("COPY calc.py /app/", &["calc.py"][..]),
            ("COPY calc.py /app", &["calc.py"]),
            ("COPY calc.py /app/other.py", &["other.py"]),
            ("COPY calc.py new/", &["new/calc.py"]),
            ("COPY --chown=a:b calc.py /app/", &["calc.py"]),
            ("COPY --chown=a:b [\"calc.py\", \"/app/\"]", &["calc.py"]),
            ("COPY [\"calc.py\",\"/app/\"]", &["calc.py"]),
            ("ADD calc.py .", &["calc.py"]),
            ("COPY *.py ./", &["calc.py", "main.py"]),
            ("COPY c?lc.py .", &["calc.py"]),
            ("COPY . .", &["a.tar.gz", "calc.py", "data/deep/y.txt", "data/x.txt", "main.py"]),
            ("copy ./ /app", &["a.tar.gz", "calc.py", "data/deep/y.txt", "data/x.txt", "main.py"]),
            ("COPY calc.py data /app/", &["calc.py", "deep/y.txt", "x.txt"]),
            ("COPY data/ ./data", &["data/deep/y.txt", "data/x.txt"]),
            ("COPY data/*.txt \\\n  # the words\n  /app/in/", &["in/x.txt"]),
            ("ARG AT=in\nENV TO /app/$AT\nCOPY calc.py ${TO}/", &["in/calc.py"]),
            ("RUN cat <<EOF > z\nCOPY nothing .\nEOF\nCOPY calc.py .", &["calc.py"]),
            ("WORKDIR in\nCOPY calc.py .\nCOPY main.py ..", &["calc.py"]),
            ("COPY calc.py .\nFROM y\nWORKDIR /app\nCOPY main.py .", &["main.py"]),
            ("COPY calc.py .\nFROM x AS one\nCOPY main.py /app/\nFROM one\nWORKDIR /app", &["main.py"]),
            ("COPY --from=z /usr/bin/z /usr/bin/z\nCOPY calc.py .", &["calc.py"]),
        ] {
            assert_eq!(tree(line).unwrap(), want, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_refused_with_its_line() {
        for (line, why) in [
            (
                "COPY nothing.py .",
                "line 3 of environment/Dockerfile, COPY nothing.py .: environment/ has no \"nothing.py\"",
            ),
            ("COPY --from=z /x /app/", "another image"),
            ("ADD https://example.org/x.py /app/", "an address"),
            ("ADD a.tar.gz /app/", "unpacked"),
            ("COPY <<EOF /app/x\ntext\nEOF", "the recipe itself"),
            ("COPY $WHERE/x .", "${WHERE}"),
            ("ENV A=$B\nCOPY $A/x .", "${A}"),
            ("COPY --parents data/x.txt .", "--parents"),
            ("COPY [calc.py, .]", "JSON"),
            ("COPY calc.py", "names no place"),
            ("COPY [ab].py .", "[ab].py"),
            ("\n\nCOPY ../calc.py .", "line 5 of"),
        ] {
            let told = tree(line).unwrap_err();
            assert!(told.contains(why), "{line}: {told}");
        }
    }

    #[test]
    fn what_goes_elsewhere_or_nowhere_is_told() {
        let told = |recipe: &str| read(recipe, &files(), None).unwrap().losses.join("\n");
        assert!(
            told("FROM x\nCOPY calc.py /data/\nCOPY main.py /app/").contains("what line 2 of environment/Dockerfile")
        );
        assert!(told("FROM x\nWORKDIR /app").contains("the tree is empty"));
        assert_eq!(told("FROM x\nCOPY . /app/"), "");
    }
}
