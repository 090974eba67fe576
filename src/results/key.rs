//! Keys of a line as numbers: a key of up to sixteen bytes is compared at once instead of letter by letter.

/// A key: its bytes in little-endian order, zeros after them.
pub(super) type Key = u128;

/// Stands for every key that no field of the contract can have; no text has these bytes.
pub(super) const FOREIGN: Key = Key::MAX;

/// The key of a text.
pub(super) const fn pack(text: &str) -> Key {
    let bytes = text.as_bytes();
    if bytes.len() > 16 {
        return FOREIGN;
    }
    let (mut key, mut i) = (0, 0);
    while i < bytes.len() {
        // A zero byte would look like the end of the key.
        if bytes[i] == 0 {
            return FOREIGN;
        }
        key |= (bytes[i] as Key) << (8 * i);
        i += 1;
    }
    key
}

macro_rules! keys {
    ($($name:ident $text:literal)*) => { $(pub(super) const $name: Key = pack($text);)* };
}

keys! {
    AGENT "agent" APPLIED "applied" BYTES "bytes" CACHED_INPUT "cached_input" CACHE_WRITE "cache_write" CLASS "class"
    CONDITION "condition" COST_USD "cost_usd" DIGESTS "digests" DROPPED "dropped" ERROR "error" FAILED "failed"
    FILES "files" FINISHED_AT "finished_at" GRADER "grader" GUARDS "guards" INPUT "input" INSTALL "install" MESSAGE "message"
    MODEL "model" OUTCOME "outcome" OUTPUT "output" PASSED "passed" PATCH "patch" PUT_BACK "put_back" REPEAT "repeat"
    REQUESTS "requests"
    RETRIES "retries" RUN "run" SCHEMA "schema" SCORE "score" SECONDS "seconds" SHA256 "sha256" STARTED_AT "started_at"
    STOP "stop" SUITE "suite" TARGETS "targets" TASK "task" TESTS "tests" TOOL "tool" TOTAL "total" TURNS "turns"
    USAGE "usage"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_only_looks_like_another_is_another() {
        let all = [
            "",
            "a",
            "aa",
            "run",
            "run\0",
            "\0",
            "finished_at",
            "finished_at_",
            "0123456789abcdef",
            "0123456789abcdefg",
        ];
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                assert!(pack(a) != pack(b) || (pack(a) == FOREIGN && pack(b) == FOREIGN), "{a:?} {b:?}");
            }
        }
        assert_ne!(pack("0123456789abcdef"), FOREIGN);
    }
}
