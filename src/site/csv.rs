//! A table as CSV.

use super::numbers::{Numbers, push_value};
use super::table::{Cell, Table};

impl Table {
    /// The table as CSV: a heading line, numbers at full precision, no data as an empty field.
    pub fn csv(&self, numbers: &Numbers) -> String {
        let mut out = String::new();
        let has_group = self.rows.iter().any(|r| r.group.is_some());
        let mut heads: Vec<String> = Vec::new();
        if has_group {
            heads.push("group".into());
        }
        let widths = self.csv_widths(&mut heads);
        push_csv_line(&mut out, &heads);
        for row in &self.rows {
            let mut fields = Vec::new();
            if has_group {
                fields.push(row.group.clone().unwrap_or_default());
            }
            for (cell, widths) in row.cells.iter().zip(&widths) {
                let parts = cell.parts("");
                for (part, width) in widths.iter().enumerate() {
                    let until = fields.len() + width;
                    if let Some((_, cell)) = parts.get(part) {
                        cell.csv(numbers, &mut fields);
                    }
                    fields.resize(until, String::new());
                }
            }
            push_csv_line(&mut out, &fields);
        }
        out
    }

    /// Adds the headings of the columns, and gives the fields of each part of each: a column is as wide as its widest
    /// cell, so that every line has the fields of the heading.
    fn csv_widths(&self, heads: &mut Vec<String>) -> Vec<Vec<usize>> {
        let mut widths = Vec::new();
        for (i, c) in self.columns.iter().enumerate() {
            let cells = || self.rows.iter().filter_map(|r| r.cells.get(i));
            let fullest = cells()
                .map(|cell| cell.parts(&c.key))
                .max_by_key(Vec::len)
                .unwrap_or_else(|| vec![(&c.key, &Cell::Empty)]);
            let mut of_column = Vec::new();
            for (part, (key, _)) in fullest.into_iter().enumerate() {
                let widest =
                    cells().filter_map(|cell| cell.parts("").get(part).map(|p| p.1)).max_by_key(|cell| cell.width());
                match widest {
                    Some(Cell::Span(_, " to ", _)) => heads.extend([format!("{key}_lo"), format!("{key}_hi")]),
                    Some(Cell::Span(..) | Cell::Ratio(..)) => heads.extend([key.to_owned(), format!("{key}_of")]),
                    _ => heads.push(key.to_owned()),
                }
                of_column.push(widest.map_or(1, Cell::width));
            }
            widths.push(of_column);
        }
        widths
    }
}

impl Cell {
    /// How many fields the cell takes in a CSV line.
    fn width(&self) -> usize {
        match self {
            Cell::Span(..) | Cell::Ratio(..) => 2,
            _ => 1,
        }
    }

    fn csv(&self, numbers: &Numbers, fields: &mut Vec<String>) {
        let number = |v: Option<f64>| {
            let mut text = String::new();
            push_value(&mut text, v);
            text
        };
        match self {
            Cell::Words { plain, .. } => fields.push(plain.clone()),
            Cell::Number(id) => fields.push(number(numbers.value(id))),
            Cell::Span(a, _, b) => fields.extend([number(numbers.value(a)), number(numbers.value(b))]),
            Cell::Ratio(_, k, _, n) => fields.extend([k.to_string(), n.to_string()]),
            Cell::Index(i) => fields.push(i.to_string()),
            Cell::Stack(..) | Cell::Empty => fields.push(String::new()),
        }
    }
}

/// Appends one line of CSV (RFC 4180 quoting, LF), with a guard against spreadsheet formulas.
pub fn push_csv_line(out: &mut String, fields: &[String]) {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let number = field.parse::<f64>().is_ok();
        let formula = !number && field.starts_with(['=', '+', '-', '@', '\t', '\r']);
        if formula || field.contains([',', '"', '\n', '\r']) {
            out.push('"');
            if formula {
                out.push('\'');
            }
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push('\n');
}

/// The records of a CSV file; a quoted field may hold line ends, so a record is not a line.
pub fn records(text: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let mut record = vec![String::new()];
    let (mut quoted, mut begun) = (false, false);
    for c in text.chars() {
        begun = true;
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => {
                out.push(std::mem::replace(&mut record, vec![String::new()]));
                begun = false;
            }
            c => record.last_mut().map_or((), |f| f.push(c)),
        }
    }
    out.extend(begun.then_some(record));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_line_of_any_names_is_one_record(names in proptest::collection::vec(".*", 1..5)) {
            let mut text = String::new();
            push_csv_line(&mut text, &names);
            push_csv_line(&mut text, &names);
            let found = records(&text);
            prop_assert_eq!(found.len(), 2);
            prop_assert_eq!(found[0].len(), names.len());
        }
    }
}
