//! The one integration-test binary: one file per room.

mod architecture;
mod charts;
mod imports;
mod results;
mod stats;
