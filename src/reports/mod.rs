//! Reports of test runs, read.
//!
//! In: the bytes of a report, and the key it was sealed with. Out: cases with ids and states, and everything that
//! speaks against believing them. One pure parser a format; whatever the bytes are, none panics or takes more than its
//! limits. This room must not know which language, command or task a report belongs to.

mod case;
mod go;
mod junit;
mod limits;
mod parcel;
mod seal;
mod sealed;

pub use case::{Case, Report, Seal, Status, naming, verdict_of};
pub use go::{GoNames, parse_go};
pub use junit::parse_junit;
pub use parcel::open_parcel;
pub use seal::Key;
pub use sealed::parse_sealed;
