//! The one integration-test binary: one file per room.

#![expect(clippy::unwrap_used, reason = "in a test, a value that is not there is a failure, also in its helpers")]

mod architecture;
mod attempts;
mod cases;
mod charts;
mod exchange;
mod gateway;
mod git;
mod health;
mod imports;
mod killed;
mod languages;
mod mining;
mod needs;
mod reports;
mod results;
mod sandbox;
mod scoring;
mod site;
mod stats;
mod tasks;
mod told;
mod validation;
