//! Runs: locked, appended, resumed; what a fault does to them, and what never gets into them.

mod killed;
mod programs;
mod pure;
mod runs;
mod sealed;
pub mod world;
