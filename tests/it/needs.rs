//! What a test needs of the machine. Without it the test is skipped, said aloud, and `scripts/test` counts it as skipped.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a program answers.
pub fn program(name: &str) -> bool {
    let version = if name == "go" { "version" } else { "--version" };
    let mut command = Command::new(name);
    let found = command.arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    found || skipped(name)
}

/// Whether Docker has an image of this repository, which `scripts/images` makes.
pub fn image(name: &str) -> bool {
    let found = Command::new("docker").args(["image", "inspect", name]).output();
    found.is_ok_and(|out| out.status.success()) || skipped("Docker")
}

/// Says that the test of this thread is skipped for want of something; always false.
pub fn skipped(what: &str) -> bool {
    let thread = std::thread::current();
    // Not by a macro: what those print is kept from the screen when a test passes.
    let line = format!("\nSKIPPED: no {what}: 1 test ({})\n", thread.name().unwrap_or("of no name"));
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    false
}
