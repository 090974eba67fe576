//! Whether closing the terminal ends this program.

/// Whether whoever started the program wants it to outlive the terminal, as `nohup` does.
pub fn outlives_terminal() -> bool {
    ignores_hang_up(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
}

/// Whether a process's `status` of `/proc` says that it ignores signal 1, which stands in the lowest bit.
fn ignores_hang_up(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).is_some_and(|m| m & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::ignores_hang_up;

    #[test]
    fn a_program_under_nohup_is_told_from_one_at_a_terminal() {
        assert!(ignores_hang_up("Name:\tx\nSigIgn:\t0000000000001001\n"));
        assert!(!ignores_hang_up("SigIgn:\t0000000000001000\n"));
        assert!(!ignores_hang_up(""));
    }
}
