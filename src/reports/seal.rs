use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The secret of one run of the tests. The reporter gets it on standard input before any code under test is loaded.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key from random bytes of the caller.
    pub fn new(random: [u8; 32]) -> Key {
        Key(hex(&random))
    }

    /// As a reporter reads it: 64 hex digits.
    pub fn word(&self) -> &str {
        &self.0
    }

    /// HMAC-SHA256 over some bytes, hex. The key is the 64 digits as text.
    pub fn sign(&self, bytes: &[u8]) -> String {
        match Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) {
            Ok(mut mac) => {
                mac.update(bytes);
                hex(&mac.finalize().into_bytes())
            }
            // HMAC takes keys of any length.
            Err(_) => String::new(),
        }
    }

    /// The simpler code that a shell script can make: SHA-256 over key, text and key, each on a line of its own.
    pub fn enclose(&self, text: &str) -> String {
        hex(&Sha256::digest(format!("{0}\n{text}{0}\n", self.0)))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Bytes as hex digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_the_one_of_the_standard() {
        // RFC 4231, case 2, with its key written as this type keeps keys.
        assert_eq!(
            Key("Jefe".into()).sign(b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", Key::new([7; 32])), "Key(…)");
    }
}
