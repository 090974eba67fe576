//! TS-Bench: the rooms, in the order in which a result travels through them.
//!
//! | room | in → out | may use |
//! |---|---|---|
//! | `schema` | the words of the glossary as types | – |
//! | `git` | bare mirrors, files and patches as bytes → trees and patches | – |
//! | `tasks` | task folders → checked tasks, their trees and hidden tests | git |
//! | `exchange` | tasks in the formats of other benchmarks ↔ task folders, with every loss named | git, tasks |
//! | `sandbox` | commands and files → what came of them, in isolation | – |
//! | `reports` | test report bytes → cases; one pure parser a format | – |
//! | `languages` | a tree → how to install and test it | reports |
//! | `scoring` | a task and a patch → a verdict | tasks, git, sandbox, languages, reports |
//! | `gate` | a task → proof that its fix resolves it and nothing else does | tasks, git, sandbox, scoring |
//! | `validation` | a change of a repository → a proven task or a reasoned rejection | tasks, git, sandbox, languages, reports, scoring |
//! | `mining` | GitHub's pages or a mirror's log → candidates and rejections | git, tasks, languages |
//! | `health` | proofs of audits → a dated log, the state of each task, the quarantine | – |
//! | `gateway` | a conversation → a model's reply, with tokens, price and every try | – |
//! | `results` | run files → checked rows; imports | – |
//! | `agent` | a task's workspace and a gateway → a trajectory and a patch | git, sandbox, gateway |
//! | `attempts` | a locked plan → attempts, side by side, appended and resumed | tasks, git, sandbox, languages, scoring, gateway, agent, results |
//! | `stats` | counts → estimates and intervals; pure, seeded | – |
//! | `charts` | numbers → SVG and PNG; pure | – |
//! | `site` | results and content → pages, and their verification | results, health, stats, charts |
//! | `cli` | arguments → all of the above | all |
//!
//! Every room may use `schema`. `tests/it/architecture.rs` enforces the table.

#[cfg(feature = "harness")]
pub mod agent;
#[cfg(feature = "harness")]
pub mod attempts;
pub mod charts;
pub mod cli;
#[cfg(feature = "harness")]
pub mod exchange;
#[cfg(feature = "harness")]
pub mod gate;
#[cfg(feature = "harness")]
pub mod gateway;
#[cfg(feature = "harness")]
pub mod git;
pub mod health;
#[cfg(feature = "harness")]
pub mod languages;
#[cfg(feature = "harness")]
pub mod mining;
#[cfg(feature = "harness")]
pub mod reports;
pub mod results;
#[cfg(feature = "harness")]
pub mod sandbox;
pub mod schema;
#[cfg(feature = "harness")]
pub mod scoring;
pub mod site;
pub mod stats;
#[cfg(feature = "harness")]
pub mod tasks;
#[cfg(feature = "harness")]
pub mod validation;
