//! What is exported loads and grades in the programs of others.
