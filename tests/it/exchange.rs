//! Tasks of other formats: taken in, given out, and unchanged on the way.

mod datasets;
mod sealing;
mod world;
