//! Records as a Parquet file, column by column, with the types that a reader of the lines finds too.

use super::record::{Record, RecordFile};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fmt::Write as _;
use std::sync::Arc;

/// Rows of a group: readers hold a group in memory.
const GROUP: usize = 64;

/// A text, a list of texts, or one field of the files.
enum Column {
    Text(&'static str, fn(&Record) -> &String),
    List(&'static str, fn(&Record) -> &Vec<String>),
    File(fn(&RecordFile) -> &String),
}

/// The columns in the order of a record's fields; the four fields of files come last.
const COLUMNS: [Column; 22] = [
    Column::Text("instance_id", |r| &r.instance_id),
    Column::Text("suite", |r| &r.suite),
    Column::Text("title", |r| &r.title),
    Column::Text("language", |r| &r.language),
    Column::Text("difficulty", |r| &r.difficulty),
    Column::List("use_cases", |r| &r.use_cases),
    Column::Text("repo", |r| &r.repo),
    Column::Text("base_commit", |r| &r.base_commit),
    Column::Text("fix_commit", |r| &r.fix_commit),
    Column::Text("merged_at", |r| &r.merged_at),
    Column::Text("problem_statement", |r| &r.problem_statement),
    Column::Text("patch", |r| &r.patch),
    Column::Text("test_patch", |r| &r.test_patch),
    Column::List("FAIL_TO_PASS", |r| &r.fail_to_pass),
    Column::List("PASS_TO_PASS", |r| &r.pass_to_pass),
    Column::List("checks", |r| &r.checks),
    Column::Text("digest", |r| &r.digest),
    Column::Text("files_sha256", |r| &r.files_sha256),
    Column::File(|f| &f.path),
    Column::File(|f| &f.mode),
    Column::File(|f| &f.encoding),
    Column::File(|f| &f.content),
];

fn schema() -> String {
    let text = "binary";
    let mut fields = String::new();
    for column in &COLUMNS {
        let _ = match column {
            Column::Text(name, _) => writeln!(fields, "required {text} {name} (UTF8);"),
            Column::List(name, _) => writeln!(
                fields,
                "required group {name} (LIST) {{ repeated group list {{ required {text} element (UTF8); }} }}"
            ),
            Column::File(_) => Ok(()),
        };
    }
    let files: String =
        ["path", "mode", "encoding", "content"].iter().map(|f| format!("required {text} {f} (UTF8); ")).collect();
    format!(
        "message task {{ {fields} required group files (LIST) {{ repeated group list {{ required group element {{ {files} }} }} }} }}"
    )
}

/// The bytes of a Parquet file of these rows.
pub fn write(records: &[Record], tool: &str) -> Result<Vec<u8>> {
    let schema = Arc::new(parse_message_type(&schema())?);
    let properties = WriterProperties::builder()
        .set_created_by(tool.to_owned())
        .set_compression(parquet::basic::Compression::SNAPPY)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    for rows in records.chunks(GROUP) {
        let mut group = writer.next_row_group()?;
        for column in &COLUMNS {
            let cells = Cells::of(column, rows);
            let mut out =
                group.next_column()?.ok_or_else(|| ParquetError::General("the table has fewer columns".into()))?;
            match out.untyped() {
                ColumnWriter::ByteArrayColumnWriter(typed) => {
                    let levels = cells.levels.as_ref();
                    typed.write_batch(&cells.values, levels.map(|l| l.0.as_slice()), levels.map(|l| l.1.as_slice()))?;
                }
                _ => return Err(ParquetError::General("a column is not of texts".into())),
            }
            out.close()?;
        }
        group.close()?;
    }
    writer.into_inner()
}

/// The values of a column and, for lists, which are there and which begin a row.
struct Cells {
    values: Vec<ByteArray>,
    levels: Option<(Vec<i16>, Vec<i16>)>,
}

impl Cells {
    fn of(column: &Column, rows: &[Record]) -> Cells {
        let bytes = |text: &String| ByteArray::from(text.as_str());
        match column {
            Column::Text(_, of) => Cells { values: rows.iter().map(|r| bytes(of(r))).collect(), levels: None },
            Column::List(_, of) => Cells::lists(rows.iter().map(|r| of(r).iter().map(bytes).collect())),
            Column::File(of) => Cells::lists(rows.iter().map(|r| r.files.iter().map(|f| bytes(of(f))).collect())),
        }
    }

    fn lists(rows: impl Iterator<Item = Vec<ByteArray>>) -> Cells {
        let (mut values, mut there, mut begins) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            if row.is_empty() {
                there.push(0);
                begins.push(0);
            }
            for (i, value) in row.into_iter().enumerate() {
                values.push(value);
                there.push(1);
                begins.push(i16::from(i > 0));
            }
        }
        Cells { values, levels: Some((there, begins)) }
    }
}
