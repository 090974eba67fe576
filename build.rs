//! Puts the templates into the program, so that it builds a site for a folder that has none of its own.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=site-templates");
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut names: Vec<_> = fs::read_dir(Path::new(&root).join("site-templates"))?
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "html" || e == "css" || e == "js"))
        .collect();
    names.sort();
    let mut text = String::from("[");
    for path in names {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let _ = writeln!(text, "({name:?}, include_str!({path:?})),");
    }
    text.push(']');
    fs::write(Path::new(&out).join("templates.rs"), text)
}
