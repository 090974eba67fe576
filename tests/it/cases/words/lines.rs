//! The shell lines of the documents, as a reader would copy them.

use std::path::Path;

/// Lines that stand together in one block.
#[derive(Debug)]
pub struct Block {
    /// The document, and the line on which the block begins.
    pub place: String,
    /// The commands, each whole and without its remark.
    pub lines: Vec<String>,
}

/// The documents that tell commands.
pub fn documents(root: &Path) -> Vec<(String, String)> {
    let mut names = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    let content = std::fs::read_dir(root.join("content")).unwrap();
    let pages = content.map(|e| format!("content/{}", e.unwrap().file_name().to_string_lossy()));
    let mut pages: Vec<String> = pages.filter(|n| n.ends_with(".md")).collect();
    pages.sort();
    names.append(&mut pages);
    names.into_iter().map(|n| (n.clone(), std::fs::read_to_string(root.join(n)).unwrap())).collect()
}

/// Every block of shell in a document. A fence without a language could hide one, so it is a fault of the document.
pub fn blocks(name: &str, text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside: Option<String> = None;
    let mut joined = String::new();
    for (i, line) in text.lines().enumerate() {
        match (&inside, line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                assert!(!language.trim().is_empty(), "{name} line {}: a block of code names no language", i + 1);
                inside = Some(language.trim().to_owned());
                found.push(Block { place: format!("{name} line {}", i + 1), lines: Vec::new() });
            }
            (Some(_), Some(_)) => inside = None,
            (Some(language), None) if is_shell(language) => {
                let part = without_remark(line);
                joined.push_str(part.strip_suffix('\\').unwrap_or(part));
                if part.ends_with('\\') || part.ends_with('|') {
                    joined.push(' ');
                } else if !joined.trim().is_empty() {
                    found.last_mut().unwrap().lines.push(std::mem::take(&mut joined).trim().to_owned());
                }
            }
            _ => {}
        }
    }
    found.retain(|b| !b.lines.is_empty());
    found
}

fn is_shell(language: &str) -> bool {
    ["sh", "bash", "shell", "console", "zsh"].contains(&language)
}

fn without_remark(line: &str) -> &str {
    line.split_once(" #").map_or(line, |(command, _)| command).trim_end()
}

/// What stands in code marks in the text of a document.
pub fn inline(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || line.trim_start().starts_with("```") {
            continue;
        }
        found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        let tagged = line.split("<code>").skip(1).filter_map(|rest| rest.split("</code>").next());
        found.extend(tagged.map(|code| code.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")));
    }
    found
}
