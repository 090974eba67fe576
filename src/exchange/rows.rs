//! Files of rows: JSON lists and maps, JSON lines, Parquet tables.

use super::ExchangeError;
use crate::schema::no_text;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value};
use std::path::Path;

const HINT: &str = "rows are a JSON list, JSON lines, or a Parquet file";

/// The rows of a file; its first bytes say what it is.
pub fn read(path: &Path) -> Result<Vec<Value>, ExchangeError> {
    let bytes = std::fs::read(path).map_err(ExchangeError::io(path))?;
    let rows = match bytes.starts_with(b"PAR1") {
        true => table(path).map_err(|e| {
            let what = format!("it begins like a Parquet table and is no whole one: {e}");
            ExchangeError::bad(path, what, "get the file again from where it is published")
        })?,
        false => texts(path, &bytes)?,
    };
    if rows.is_empty() {
        return Err(ExchangeError::bad(path, "there is no row in it", HINT));
    }
    Ok(rows)
}

/// The rows of a file of JSON.
fn texts(path: &Path, bytes: &[u8]) -> Result<Vec<Value>, ExchangeError> {
    if let Some((what, hint)) = no_text(bytes) {
        return Err(ExchangeError::bad(path, what, hint));
    }
    if let Ok(whole) = serde_json::from_slice::<Value>(bytes) {
        return match whole {
            Value::Array(rows) => Ok(rows),
            // One row, or rows by their ids.
            Value::Object(map) if map.values().all(Value::is_object) && !map.is_empty() => {
                Ok(map.into_iter().map(|(_, row)| row).collect())
            }
            row @ Value::Object(_) => Ok(vec![row]),
            other => Err(ExchangeError::bad(path, format!("holds {}", kind(&other)), HINT)),
        };
    }
    let lines = bytes.split(|b| *b == b'\n').enumerate();
    lines
        .filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace))
        .map(|(i, line)| {
            serde_json::from_slice(line).map_err(|e| ExchangeError::bad(path, format!("line {}: {e}", i + 1), HINT))
        })
        .collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a yes or no",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

fn table(path: &Path) -> parquet::errors::Result<Vec<Value>> {
    let reader = SerializedFileReader::new(std::fs::File::open(path)?)?;
    reader.get_row_iter(None)?.map(|row| Ok(row_value(&row?))).collect()
}

fn row_value(row: &Row) -> Value {
    Value::Object(row.get_column_iter().map(|(name, field)| (name.clone(), field_value(field))).collect::<Map<_, _>>())
}

fn field_value(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(b) => (*b).into(),
        Field::Byte(n) => (*n).into(),
        Field::Short(n) => (*n).into(),
        Field::Int(n) => (*n).into(),
        Field::Long(n) | Field::TimestampMillis(n) => (*n).into(),
        Field::TimestampMicros(n) => (n / 1000).into(),
        Field::UByte(n) => (*n).into(),
        Field::UShort(n) => (*n).into(),
        Field::UInt(n) => (*n).into(),
        Field::ULong(n) => (*n).into(),
        Field::Float(n) => f64::from(*n).into(),
        Field::Double(n) => (*n).into(),
        Field::Str(text) => text.clone().into(),
        Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).into_owned().into(),
        Field::Group(row) => row_value(row),
        Field::ListInternal(list) => list.elements().iter().map(field_value).collect(),
        other => other.to_string().into(),
    }
}

/// Finds out before the work whether a file can be written: that it is not there, and that its folder takes one.
pub fn can_write(path: &Path) -> Result<(), ExchangeError> {
    if path.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(path.to_owned()));
    }
    let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(ExchangeError::io(dir))?;
    tempfile::Builder::new().prefix(".export-").tempfile_in(dir).map(drop).map_err(ExchangeError::io(dir))
}

/// Writes rows by the ending of the file's name: a list for `.json`, else lines. What is there is never changed.
pub fn write(path: &Path, rows: &[Value]) -> Result<(), ExchangeError> {
    let text = if path.extension().is_some_and(|e| e == "json") {
        serde_json::to_string_pretty(rows).map_err(|e| ExchangeError::io(path)(e.into()))? + "\n"
    } else {
        rows.iter().map(|row| format!("{row}\n")).collect()
    };
    if path.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(path.to_owned()));
    }
    let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir).map_err(ExchangeError::io(dir))?;
    let mut part = tempfile::Builder::new().prefix(".export-").tempfile_in(dir).map_err(ExchangeError::io(dir))?;
    std::io::Write::write_all(&mut part, text.as_bytes()).map_err(ExchangeError::io(path))?;
    let file = part.persist_noclobber(path).map_err(|e| ExchangeError::io(path)(e.error))?;
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644)).map_err(ExchangeError::io(path))
}
