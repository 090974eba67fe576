//! Tasks taken in from other benchmarks' files, and given out to them.
//!
//! In: task folders, datasets, rows and task folders of other tools. Out: the same, the other way round, with every loss
//! named. What a format has and tasks have not is kept beside the task, so that it comes out again as it came in. Texts of
//! others are hostile: no path, no shell word and no code is made of them. This room must not know how a task is run, nor
//! what became of it: results are for `results`.

mod dataset;
mod error;
mod evaluation;
mod export_rows;
mod harbor;
mod harbor_copy;
mod harbor_export;
mod harbor_recipe;
mod harbor_theirs;
mod import_rows;
mod instance;
mod intake;
mod licence;
mod literal;
mod losses;
mod multi_swe;
mod parquet;
mod pro;
mod record;
mod rows;
mod thinkbench;

pub use dataset::{Taken, export as export_dataset, import as import_dataset};
pub use error::ExchangeError;
pub use export_rows::{Mirrors, export as export_rows};
pub use harbor::{HarborTask, import as import_harbor, read as read_harbor};
pub use harbor_export::export as export_harbor;
pub use import_rows::{Imported, import as import_rows};
pub use instance::RowFormat;
pub use losses::Losses;
pub use record::{Record, RecordFile, files_sha256};
pub use thinkbench::{
    ThinkbenchTask, export as export_thinkbench, import as import_thinkbench, read as read_thinkbench,
};
