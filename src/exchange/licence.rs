//! Under which terms tasks are given on: the words of a licence, and the files that hold them.

use super::ExchangeError;
use crate::git::Mode;
use crate::tasks::Files;
use std::path::Path;

/// Whether a file at the top of a folder holds terms: a licence, a notice, or the text that they point at.
pub(super) fn is_terms(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    let stem = small.split_once('.').map_or(small.as_str(), |(stem, _)| stem);
    ["license", "licence", "notice", "copying", "copyright"]
        .iter()
        .any(|word| stem.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_'])))
}

/// The files at the top of a folder that hold terms.
pub(super) fn terms_of(dir: &Path) -> Result<Files, ExchangeError> {
    let mut found = Files::new();
    for entry in std::fs::read_dir(dir).map_err(ExchangeError::io(dir))? {
        let entry = entry.map_err(ExchangeError::io(dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_terms(&name) {
            let bytes = std::fs::read(entry.path()).map_err(ExchangeError::io(entry.path()))?;
            found.insert(name, (Mode::File, bytes));
        }
    }
    Ok(found)
}

/// Licences that the Hub has a word of its own for, by their SPDX identifiers.
const WORDS: [(&str, &str); 16] = [
    ("Apache-2.0", "apache-2.0"),
    ("MIT", "mit"),
    ("BSD-2-Clause", "bsd-2-clause"),
    ("BSD-3-Clause", "bsd-3-clause"),
    ("ISC", "isc"),
    ("MPL-2.0", "mpl-2.0"),
    ("GPL-2.0-only", "gpl-2.0"),
    ("GPL-3.0-only", "gpl-3.0"),
    ("GPL-3.0-or-later", "gpl-3.0"),
    ("LGPL-3.0-only", "lgpl-3.0"),
    ("AGPL-3.0-only", "agpl-3.0"),
    ("EPL-2.0", "epl-2.0"),
    ("CC-BY-4.0", "cc-by-4.0"),
    ("CC-BY-SA-4.0", "cc-by-sa-4.0"),
    ("CC0-1.0", "cc0-1.0"),
    ("Unlicense", "unlicense"),
];

/// The lines of a card that state a licence; it is unknown where the suite states none.
pub(super) fn card_lines(licence: Option<&str>) -> String {
    let Some(stated) = licence else { return "license: unknown\n".to_owned() };
    match WORDS.iter().find(|(spdx, _)| spdx.eq_ignore_ascii_case(stated)) {
        Some((_, word)) => format!("license: {word}\n"),
        // JSON is YAML, and quotes whatever a name holds.
        None => format!("license: other\nlicense_name: {}\n", serde_json::json!(stated)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_by_the_name_of_the_file() {
        for name in
            ["LICENSE", "licence.txt", "NOTICE", "COPYING.md", "LICENSE-MIT", "License.rst", "LICENSE-APACHE.txt"]
        {
            assert!(is_terms(name), "{name}");
        }
        for name in ["licenses", "brief.txt", "noticeboard.py", "manifest.json", "licensed.txt"] {
            assert!(!is_terms(name), "{name}");
        }
    }

    #[test]
    fn an_unknown_licence_is_called_so_and_no_guess_is_made() {
        assert_eq!(card_lines(None), "license: unknown\n");
        assert_eq!(card_lines(Some("MIT")), "license: mit\n");
        assert_eq!(card_lines(Some("apache-2.0")), "license: apache-2.0\n");
        assert_eq!(card_lines(Some("Terms of \"ours\"")), "license: other\nlicense_name: \"Terms of \\\"ours\\\"\"\n");
    }
}
