//! The stats room against its golden files, and its properties.

#![expect(clippy::unwrap_used, reason = "a test stops where a value is missing")]

mod against_golden;
mod golden_bootstrap;
mod golden_estimates;
mod golden_intervals;
mod properties;
