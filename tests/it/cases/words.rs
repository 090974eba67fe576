//! Sentences about the data follow from the data, and every shell line of the documents runs.

mod lines;
mod pages;
mod shell;
mod world;
