//! Style and scripts under names that hold their digest, so that a browser may keep them for ever.

use super::SiteError;
use super::write::hex;
use std::collections::BTreeMap;
use std::path::Path;

/// The program's own templates and assets, for sites that bring none.
pub const BUNDLED: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Templates and assets by file name: those of the site's folder over the program's own.
pub fn load(dir: &Path) -> Result<BTreeMap<String, String>, SiteError> {
    let mut files: BTreeMap<String, String> = BUNDLED.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    if dir.is_dir() {
        for entry in walkdir::WalkDir::new(dir).max_depth(1).sort_by_file_name() {
            let entry = entry.map_err(|e| SiteError::Io { path: dir.to_owned(), cause: e.into() })?;
            let path = entry.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if entry.file_type().is_file() && [".html", ".css", ".js"].iter().any(|e| name.ends_with(e)) {
                files.insert(name.to_owned(), std::fs::read_to_string(path).map_err(SiteError::io(path))?);
            }
        }
    }
    Ok(files)
}

/// An asset under its hashed name.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Path in the site.
    pub path: String,
    /// Contents.
    pub text: String,
}

/// Hashes the styles and scripts; a script's `./other.js` becomes the other's hashed name.
///
/// Returns the assets by their original name.
pub fn hashed(files: &BTreeMap<String, String>) -> Result<BTreeMap<String, Asset>, SiteError> {
    let mut done: BTreeMap<String, Asset> = BTreeMap::new();
    let mut waiting: Vec<&String> = files.keys().filter(|n| n.ends_with(".css") || n.ends_with(".js")).collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|name| {
            let text = &files[*name];
            let imports: Vec<&String> = files
                .keys()
                .filter(|other| other.ends_with(".js") && text.contains(&format!("\"./{other}\"")))
                .collect();
            if imports.iter().any(|i| !done.contains_key(*i)) {
                return true;
            }
            let mut text = text.clone();
            for import in imports {
                let hashed = done[import].path.trim_start_matches("assets/").to_owned();
                text = text.replace(&format!("\"./{import}\""), &format!("\"./{hashed}\""));
            }
            let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
            let path = format!("assets/{stem}.{}.{extension}", &hex(text.as_bytes())[..8]);
            done.insert((*name).clone(), Asset { path, text });
            false
        });
        if waiting.len() == before {
            return Err(SiteError::content(
                "site-templates",
                "scripts import each other in a circle",
                "break the circle",
            ));
        }
    }
    Ok(done)
}
