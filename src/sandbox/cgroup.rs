//! How often the kernel killed for lack of memory, from the counters of a control group, pure.

/// The value of `oom_kill` in the words of `memory.oom_control` (version 1) or `memory.events` (version 2).
///
/// Zero where there is no such counter: old kernels have none, and then only the signal tells.
pub(super) fn memory_kills(text: &str) -> u64 {
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if word == "oom_kill" {
            return words.next().and_then(|count| count.parse().ok()).unwrap_or(0);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::memory_kills;

    #[test]
    fn both_versions_of_the_counter_are_read() {
        assert_eq!(memory_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), 3);
        assert_eq!(memory_kills("low 0\nhigh 0\nmax 31\noom 2\noom_kill 2\noom_group_kill 0\n"), 2);
        assert_eq!(memory_kills("oom_kill_disable 0 under_oom 0 oom_kill 1"), 1);
    }

    #[test]
    fn no_counter_and_a_broken_one_are_zero() {
        for text in ["", "oom_kill", "oom_kill x", "oom_kill -1", "oom 5"] {
            assert_eq!(memory_kills(text), 0, "{text:?}");
        }
    }
}
