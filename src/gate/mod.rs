//! The proof that a task is fair: the human fix and other right solutions resolve it, nothing else does.
//!
//! In: a task ready to be scored. Out: what each proof gave, as data. This room must not know how proofs are shown
//! or where they are kept.

mod exploits;
mod found;
mod prove;

pub use exploits::{Exploit, Files, exploits};
pub use prove::{Proof, Proven, prove_exploits, prove_fix, prove_solutions};
