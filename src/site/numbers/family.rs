//! Numbers of which there is one a raw line or a cell: named by rule, not listed.

use crate::results::{Row, RunFile};
use crate::site::board::Board;
use crate::site::published::{Sources, raw_files};
use crate::site::suites::Suites;
use crate::stats::display::Format;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

/// Looks up `cell|board|entry|task|what`, `line|run|task|model|condition|repeat|/pointer`, `file|path|bytes`,
/// `task|suite|task|/pointer`, `suite|suite|tasks` and `health|suite|task|time|/pointer`.
pub struct Families<'a> {
    boards: HashMap<&'a str, BoardIndex<'a>>,
    files: HashMap<String, u64>,
    runs: HashMap<&'a str, RunIndex<'a>>,
    suites: &'a Suites,
}

/// A board with the places of its entries and tasks.
type BoardIndex<'a> = (&'a Board<'a>, HashMap<&'a str, usize>, HashMap<&'a str, usize>);

struct RunIndex<'a> {
    run: &'a RunFile,
    tasks: HashMap<&'a str, u32>,
    models: HashMap<&'a str, u16>,
}

impl<'a> Families<'a> {
    /// Indexes boards and runs.
    pub fn new(boards: &'a [Board<'a>], sources: Sources<'a>) -> Families<'a> {
        let Sources { data, suites, .. } = sources;
        let boards = boards
            .iter()
            .map(|b| {
                let entries = b.entries.iter().enumerate().map(|(i, e)| (e.key.as_str(), i)).collect();
                let tasks = b.tasks.iter().enumerate().map(|(i, t)| (t.id.as_str(), i)).collect();
                (b.config.id.as_str(), (b, entries, tasks))
            })
            .collect();
        let runs = data
            .runs
            .iter()
            .map(|run| {
                let tasks = run.run.tasks.iter().enumerate().map(|(i, t)| (t.as_str(), i as u32)).collect();
                let models = run.run.models.iter().enumerate().map(|(i, m)| (m.id.as_str(), i as u16)).collect();
                (run.run.run.as_str(), RunIndex { run, tasks, models })
            })
            .collect();
        let files = raw_files(sources).into_iter().map(|f| (f.path, f.bytes)).collect();
        Families { boards, files, runs, suites }
    }

    /// Value and text of a family's number; none where the id names nothing.
    pub fn look_up(&self, id: &str) -> Option<(Option<f64>, String)> {
        let parts: Vec<Cow<'_, str>> = id.split('|').map(decoded).collect::<Option<_>>()?;
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        match parts[..] {
            ["file", path, "bytes"] => count(*self.files.get(path)?),
            ["task", suite, task, pointer] => count(self.suites.of(suite)?.task(task)?.number(pointer)?),
            ["health", suite, task, at, pointer] => {
                let audit = self.suites.audits_of(suite, task).iter().find(|a| a.at == at)?;
                let (value, format) = audit.number(pointer)?;
                Some((value, format.text(value)))
            }
            ["suite", suite, "tasks"] => count(self.suites.of(suite)?.tasks.len() as u64),
            ["cell", board, entry, task, what] => self.cell(board, entry, task, what),
            ["line", run, task, model, condition, repeat, pointer] => {
                self.line((run, task, model, condition, repeat.parse().ok()?), pointer)
            }
            _ => None,
        }
    }

    fn cell(&self, board: &str, entry: &str, task: &str, what: &str) -> Option<(Option<f64>, String)> {
        let (b, entries, tasks) = self.boards.get(board)?;
        let cell = &b.entries[*entries.get(entry)?].cells[*tasks.get(task)?];
        let value = match what {
            "fixed" => cell.c,
            "attempts" => cell.n,
            "excluded" => cell.excluded,
            _ => return None,
        };
        Some((Some(f64::from(value)), value.to_string()))
    }

    fn line(
        &self,
        (run, task, model, condition, repeat): (&str, &str, &str, &str, u32),
        pointer: &str,
    ) -> Option<(Option<f64>, String)> {
        let index = self.runs.get(run)?;
        let (task, model) = (*index.tasks.get(task)?, *index.models.get(model)?);
        let rows = &index.run.rows;
        let from = rows.partition_point(|r| (r.task, r.model) < (task, model));
        let row = rows[from..].iter().take_while(|r| r.task == task && r.model == model).find(|r| {
            !r.superseded && r.repeat == repeat && index.run.variants[usize::from(r.variant)].1 == condition
        })?;
        let field = field(pointer)?;
        let value = (field.value)(row);
        Some((value, field.format.text(value)))
    }
}

/// A whole number and its text.
fn count(value: u64) -> Option<(Option<f64>, String)> {
    let value = Some(value as f64);
    Some((value, Format::Count.text(value)))
}

/// The id of what was counted of an entry at a task: `fixed`, `attempts` or `excluded`.
pub fn cell_id(board: &str, entry: &str, task: &str, what: &str) -> String {
    let mut id = String::with_capacity(10 + board.len() + entry.len() + task.len() + what.len());
    id.push_str("cell|");
    for part in [board, entry, task] {
        push_part(&mut id, part);
        id.push('|');
    }
    id.push_str(what);
    id
}

/// The id of the size of a raw file.
pub fn file_id(path: &str) -> String {
    let mut id = String::from("file|");
    push_part(&mut id, path);
    id.push_str("|bytes");
    id
}

/// The beginning of the ids of what a task's folder says: a pointer into its line follows.
pub fn task_base(suite: &str, task: &str) -> String {
    base("task|", suite, task)
}

/// The beginning of the ids of what audits found of a task: a time and a pointer follow.
pub fn health_base(suite: &str, task: &str) -> String {
    base("health|", suite, task)
}

fn base(family: &str, suite: &str, task: &str) -> String {
    let mut id = String::from(family);
    for part in [suite, task] {
        push_part(&mut id, part);
        id.push('|');
    }
    id
}

/// The id of the number of a suite's tasks.
pub fn suite_id(suite: &str) -> String {
    let mut id = String::from("suite|");
    push_part(&mut id, suite);
    id.push_str("|tasks");
    id
}

/// Appends a name as a part of an id: a byte outside `[A-Za-z0-9._~@:/-]` becomes `%XX`, so that no name holds the mark
/// between parts, or a character that a page shows otherwise than the raw file has it.
pub fn push_part(id: &mut String, text: &str) {
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || b"._~@:/-".contains(&b) {
            id.push(char::from(b));
        } else {
            let _ = write!(id, "%{b:02X}");
        }
    }
}

/// The name that [`push_part`] wrote; none where it is not one.
fn decoded(part: &str) -> Option<Cow<'_, str>> {
    if !part.contains('%') {
        return Some(Cow::Borrowed(part));
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&b, after)) = rest.split_first() {
        rest = after;
        if b != b'%' {
            bytes.push(b);
            continue;
        }
        let digit = |at: usize| rest.get(at).and_then(|b| char::from(*b).to_digit(16));
        bytes.push((digit(0)? * 16 + digit(1)?) as u8);
        rest = rest.get(2..)?;
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// A field of a raw line that pages state.
pub struct Field {
    /// Its JSON pointer into the line.
    pub pointer: &'static str,
    /// How it is written.
    pub format: Format,
    /// Its value; none where the line has none.
    pub value: fn(&Row) -> Option<f64>,
}

/// Every field of a raw line that pages state.
pub static FIELDS: [Field; 9] = [
    Field { pointer: "/tests/targets/passed", format: Format::Count, value: |r| of(r.targets.0, r.targets.1) },
    Field { pointer: "/tests/targets/total", format: Format::Count, value: |r| of(r.targets.1, r.targets.1) },
    Field { pointer: "/tests/guards/passed", format: Format::Count, value: |r| of(r.guards.0, r.guards.1) },
    Field { pointer: "/tests/guards/total", format: Format::Count, value: |r| of(r.guards.1, r.guards.1) },
    Field { pointer: "/turns", format: Format::Count, value: |r| r.turns().map(f64::from) },
    Field { pointer: "/usage/output", format: Format::Count, value: |r| r.output_tokens().map(|t| t as f64) },
    Field { pointer: "/seconds/agent", format: Format::Seconds, value: Row::agent_seconds },
    Field { pointer: "/seconds/total", format: Format::Seconds, value: Row::total_seconds },
    Field { pointer: "/cost_usd", format: Format::Usd3, value: Row::cost_usd },
];

/// A number of tests, where there are any.
fn of(value: u32, total: u32) -> Option<f64> {
    (total > 0).then_some(f64::from(value))
}

/// The field at a pointer.
fn field(pointer: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|f| f.pointer == pointer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_name_is_a_plain_part_of_an_id_and_reads_back(name in ".*") {
            let mut id = String::new();
            push_part(&mut id, &name);
            prop_assert!(id.bytes().all(|b| (b'!'..=b'~').contains(&b) && b != b'|'));
            let read = decoded(&id);
            prop_assert_eq!(read.as_deref(), Some(name.as_str()));
        }
    }
}
