use super::MiningError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Answers kept on disk, each under the digest of its question; the token is no part of it.
pub struct Pages {
    dir: PathBuf,
    /// Seconds that an answer is good for.
    seconds: i64,
}

/// An answer on disk.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// `tsbench.page/1`.
    schema: String,
    /// When it came, seconds since 1970.
    at: i64,
    /// The data.
    data: Value,
}

const SCHEMA: &str = "tsbench.page/1";

impl Pages {
    /// Keeps answers in a folder, which is made when it is needed, for so many seconds.
    pub fn new(dir: &Path, seconds: i64) -> Pages {
        Pages { dir: dir.to_owned(), seconds }
    }

    /// The file of a question.
    fn file(&self, address: &str, question: &[u8]) -> PathBuf {
        let mut name = String::with_capacity(69);
        for byte in Sha256::new().chain_update(address).chain_update(b"\0").chain_update(question).finalize() {
            let _ = write!(name, "{byte:02x}");
        }
        self.dir.join(format!("{name}.json"))
    }

    /// An answer that is still good. A file that cannot be read or understood is none.
    pub(super) fn get(&self, address: &str, question: &[u8], now: i64) -> Option<Value> {
        let bytes = std::fs::read(self.file(address, question)).ok()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        let age = now.checked_sub(kept.at)?;
        (kept.schema == SCHEMA && (0..self.seconds).contains(&age)).then_some(kept.data)
    }

    /// Keeps an answer, whole or not at all, for this user alone.
    pub(super) fn put(&self, address: &str, question: &[u8], now: i64, data: &Value) -> Result<(), MiningError> {
        std::fs::create_dir_all(&self.dir).map_err(MiningError::io(&self.dir))?;
        let kept = Kept { schema: SCHEMA.to_owned(), at: now, data: data.clone() };
        let file = self.file(address, question);
        let bytes = serde_json::to_vec(&kept)
            .map_err(|e| MiningError::Io { path: file.clone(), cause: std::io::Error::other(e) })?;
        let mut stage = tempfile::NamedTempFile::new_in(&self.dir).map_err(MiningError::io(&self.dir))?;
        stage.write_all(&bytes).map_err(MiningError::io(&file))?;
        stage.persist(&file).map_err(|e| MiningError::Io { path: file, cause: e.error })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_good_until_it_expires_and_for_its_own_question() {
        let dir = tempfile::tempdir().unwrap();
        let pages = Pages::new(&dir.path().join("new"), 100);
        let data = serde_json::json!({"a": 1});
        pages.put("https://x", b"q", 1000, &data).unwrap();
        assert_eq!(pages.get("https://x", b"q", 1099), Some(data));
        for (address, question, now) in [("https://x", "q", 1100), ("https://x", "q", 999), ("https://y", "q", 1000)] {
            assert_eq!(pages.get(address, question.as_bytes(), now), None, "{address} {question} {now}");
        }
        assert_eq!(pages.get("https://x", b"other", 1000), None);
        let file = pages.file("https://x", b"q");
        std::fs::write(file, "{").unwrap();
        assert_eq!(pages.get("https://x", b"q", 1000), None, "a broken file is no answer");
    }
}
