//! A right fix with an honest change beside it counts, or the verdict names what was dropped and why it failed.
