//! Tasks taken in from other benchmarks' files, and given out to them.
//!
//! In: task folders, datasets, rows and task folders of other tools. Out: the same, the other way round, with every loss
//! named. What a format has and tasks have not is kept beside the task, so that it comes out again as it came in. Texts of
//! others are hostile: no path, no shell word and no code is made of them. This room must not know how a task is run, nor
//! what became of it: results are for `results`.

mod dataset;
mod error;
mod intake;
mod literal;
mod losses;
mod parquet;
mod record;

pub use dataset::{Taken, export as export_dataset, import as import_dataset};
pub use error::ExchangeError;
pub use losses::Losses;
pub use record::{Record, RecordFile, files_sha256};
