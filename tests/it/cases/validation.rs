//! From a merged change to a task: solvability, limits of time, statements.
