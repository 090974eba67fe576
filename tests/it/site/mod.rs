//! The site as its publisher and its reader use it, through the real program.

mod building;
mod evidence;
mod exposure;
mod hostile;
mod serving;
mod statements;
mod verifying;
pub mod world;
mod writing;
