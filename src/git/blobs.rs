//! Many blobs at once: one process for all of them, so that the cost grows with their number and no faster.

use super::{GitError, Store};
use std::io::Write;

/// Bytes of blobs that one process is given, so that its input stays small beside what is held anyway.
const MOST_AT_ONCE: usize = 64 << 20;

impl Store {
    /// Writes blobs; their names, in the same order.
    pub fn blobs(&self, contents: &[&[u8]]) -> Result<Vec<String>, GitError> {
        let mut names = Vec::with_capacity(contents.len());
        let mut rest = contents;
        while !rest.is_empty() {
            let mut bytes = 0usize;
            let fitting = rest.iter().take_while(|content| {
                bytes = bytes.saturating_add(content.len());
                bytes <= MOST_AT_ONCE
            });
            let (now, later) = rest.split_at(fitting.count().max(1));
            self.import(now, &mut names)?;
            rest = later;
        }
        Ok(names)
    }

    fn import(&self, contents: &[&[u8]], names: &mut Vec<String>) -> Result<(), GitError> {
        let io = |cause| GitError::Io { path: self.dir.path().to_owned(), cause };
        let mut input = Vec::with_capacity(contents.iter().map(|c| c.len() + 32).sum());
        for (number, content) in contents.iter().enumerate() {
            write!(input, "blob\nmark :{}\ndata {}\n", number + 1, content.len()).map_err(io)?;
            input.extend_from_slice(content);
            input.push(b'\n');
        }
        let marks = tempfile::Builder::new().prefix("marks-").tempfile_in(self.dir.path()).map_err(io)?;
        let export = format!("--export-marks={}", marks.path().display());
        // One pack, whatever the number: loose objects would be a file each.
        let args = [
            "-c",
            "fastimport.unpackLimit=0",
            "-c",
            "core.compression=1",
            "fast-import",
            "--quiet",
            "--depth=0",
            &export,
        ];
        self.run(None, &args, &input)?;
        let text = std::fs::read_to_string(marks.path()).map_err(io)?;
        let first = names.len();
        names.resize(first + contents.len(), String::new());
        for line in text.lines() {
            let mark = line.strip_prefix(':').and_then(|l| l.split_once(' '));
            let place = mark.and_then(|(number, name)| Some((number.parse::<usize>().ok()?.checked_sub(1)?, name)));
            let slot = place.and_then(|(number, name)| Some((names.get_mut(first + number)?, name)));
            let Some((slot, name)) = slot else {
                return Err(GitError::Answer { verb: "fast-import".into(), what: format!("no mark in {line:?}") });
            };
            name.clone_into(slot);
        }
        match names[first..].iter().any(String::is_empty) {
            true => Err(GitError::Answer { verb: "fast-import".into(), what: "a mark is missing".into() }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_blobs_have_the_names_that_each_alone_would_have() {
        let store = Store::new().unwrap();
        assert!(store.blobs(&[]).unwrap().is_empty());
        let contents: [&[u8]; 5] = [b"a\n", b"", b"data 3\nblob\n", b"a\n", b"\0\xff"];
        let names = store.blobs(&contents).unwrap();
        for (content, name) in contents.iter().zip(&names) {
            assert_eq!(store.bytes(name).unwrap(), *content);
            assert_eq!(store.blob(content).unwrap(), *name);
        }
    }
}
