//! Cases that once went wrong, each with its right value: reports about other tools, attempts to break what the documents
//! promise, and readers' findings. One file for each part of the product.

mod agent_mistakes;
mod capture;
mod containers;
mod contradictions;
mod exports;
mod honest_changes;
mod other_tests;
mod patches;
mod providers;
mod relay;
mod resume;
mod site_safety;
mod validation;
mod words;
