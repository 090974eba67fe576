//! The one integration-test binary: one file per room.

mod charts;
mod stats;
