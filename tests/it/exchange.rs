//! Tasks and runs of other formats: taken in, given out, and unchanged on the way.

mod datasets;
mod folders;
mod harbor;
mod inspect;
mod predictions;
mod rows;
mod runs;
mod sealing;
mod suites;
mod thinkbench;
mod world;
