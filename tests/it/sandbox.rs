//! Sandboxes against what hostile commands do: once in real containers, once as scrubbed processes.
//!
//! Docker's half is skipped, loudly, where there is no Docker.

mod docker;
mod leases;
mod local;
mod shared;

pub use docker::place as docker_place;
