//! One table, three forms: HTML beside the chart, CSV and JSON to take away.

use super::numbers::{Numbers, push_data, push_value};
use super::text::{escape, json_string, push_escaped};
use std::fmt::Write;

/// What stands where an entry has no attempt.
pub const NOT_RUN: &str = "not run";

/// A column: its heading as HTML, its name in files, and whether it holds numbers.
#[derive(Clone, Debug)]
pub struct Column {
    /// Heading, HTML.
    pub head: String,
    /// Name in CSV and JSON.
    pub key: String,
    /// Numbers are set flush right and sorted by value.
    pub numeric: bool,
}

/// What stands in one place of a table.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Words: as HTML, and plain for files.
    Words {
        /// HTML.
        html: String,
        /// Plain text.
        plain: String,
    },
    /// A number by its id.
    Number(String),
    /// Two numbers that are read together: a range, or "k of n". The words stand between them.
    Span(String, &'static str, String),
    /// "k of n" of a family: two ids, values and texts are whole counts.
    Ratio(String, u32, String, u32),
    /// A cell with a smaller one below it, which has a name of its own in files.
    Stack(Box<Cell>, &'static str, Box<Cell>),
    /// A whole number that names something, such as a repeat; not a result.
    Index(u32),
    /// Nothing applies here.
    Empty,
}

impl Cell {
    /// Words that are a plain text.
    pub fn words(text: &str) -> Cell {
        Cell::Words { html: escape(text), plain: text.to_owned() }
    }

    /// A name, which may hold digits.
    pub fn name(text: &str) -> Cell {
        Cell::Words { html: super::text::name(text), plain: text.to_owned() }
    }

    /// A name that leads to a page.
    pub fn link(href: &str, text: &str) -> Cell {
        Cell::Words { html: super::text::link(href, &super::text::name(text)), plain: text.to_owned() }
    }

    /// HTML with its plain reading.
    pub fn html(html: String, plain: &str) -> Cell {
        Cell::Words { html, plain: plain.to_owned() }
    }

    /// A cell with a smaller one below it, which files name `key`.
    pub fn over(self, key: &'static str, below: Cell) -> Cell {
        Cell::Stack(Box::new(self), key, Box::new(below))
    }

    /// What stands in the cell, a stack taken apart, each with its name in files.
    pub(super) fn parts<'c>(&'c self, key: &'c str) -> Vec<(&'c str, &'c Cell)> {
        match self {
            Cell::Stack(above, below_key, below) => [above.parts(key), below.parts(below_key)].concat(),
            other => vec![(key, other)],
        }
    }
}

/// A row; the first cell is its heading.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Anchor.
    pub id: Option<String>,
    /// Cells, as many as there are columns.
    pub cells: Vec<Cell>,
    /// Groups the row belongs to; a change starts a new group.
    pub group: Option<String>,
}

impl Row {
    /// A row of cells.
    pub fn new(cells: Vec<Cell>) -> Row {
        Row { id: None, cells, group: None }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Anchor, and the name of its files.
    pub id: String,
    /// Caption, HTML.
    pub caption: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows.
    pub rows: Vec<Row>,
    /// A text filter above it.
    pub filter: bool,
    /// Extra class, such as `matrix`.
    pub class: &'static str,
}

impl Table {
    /// A table without rows.
    pub fn new(id: &str, caption: &str, columns: &[(&str, &str, bool)]) -> Table {
        let columns = columns
            .iter()
            .map(|(head, key, numeric)| Column { head: (*head).into(), key: (*key).into(), numeric: *numeric })
            .collect();
        Table { id: id.into(), caption: caption.into(), columns, rows: Vec::new(), filter: false, class: "" }
    }

    /// Removes the columns in which no row says anything.
    pub fn without_empty_columns(mut self) -> Table {
        let mut keep: Vec<bool> = (0..self.columns.len())
            .map(|c| self.rows.iter().any(|r| !matches!(r.cells.get(c), Some(Cell::Empty) | None)))
            .collect();
        if let Some(first) = keep.first_mut() {
            *first = true;
        }
        let mut i = 0;
        self.columns.retain(|_| {
            i += 1;
            keep[i - 1]
        });
        for row in &mut self.rows {
            let mut i = 0;
            row.cells.retain(|_| {
                i += 1;
                keep.get(i - 1).copied().unwrap_or(false)
            });
        }
        self
    }

    /// The table as HTML.
    pub fn html(&self, numbers: &Numbers) -> String {
        let mut out = String::with_capacity(600 + self.rows.len() * self.columns.len() * 90);
        let id = escape(&self.id);
        let filter = if self.filter { " data-filter=\"Filter the rows\"" } else { "" };
        let class = if self.class.is_empty() { String::new() } else { format!(" {}", self.class) };
        let _ = write!(
            out,
            "<div class=\"table-wrap\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{id}-caption\"><table class=\"data{class}\" id=\"{id}\" data-sortable{filter}><caption id=\"{id}-caption\">{}</caption><thead><tr>",
            self.caption
        );
        for c in &self.columns {
            let class = if c.numeric { " class=\"num\"" } else { "" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", c.head);
        }
        out.push_str("</tr></thead><tbody>");
        let mut group: Option<&str> = None;
        for (i, row) in self.rows.iter().enumerate() {
            if row.group.as_deref() != group {
                group = row.group.as_deref();
                if i > 0 {
                    out.push_str("</tbody><tbody>");
                }
                if let Some(name) = group {
                    let _ = write!(
                        out,
                        "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>",
                        self.columns.len(),
                        super::text::name(name)
                    );
                }
            }
            self.push_row(&mut out, row, numbers);
        }
        out.push_str("</tbody></table></div>");
        out
    }

    fn push_row(&self, out: &mut String, row: &Row, numbers: &Numbers) {
        match &row.id {
            Some(id) => {
                out.push_str("<tr id=\"");
                push_escaped(out, id);
                out.push_str("\">");
            }
            None => out.push_str("<tr>"),
        }
        for (i, cell) in row.cells.iter().enumerate() {
            let numeric = self.columns.get(i).is_some_and(|c| c.numeric);
            if i == 0 {
                out.push_str("<th scope=\"row\">");
            } else if numeric {
                // A cell is sorted by the number in it; only a ratio needs its quotient said.
                match cell {
                    Cell::Ratio(..) => {
                        let _ = write!(out, "<td class=\"num{}\" data-sort=\"", self.shade(cell));
                        push_value(out, cell.sort_value());
                        out.push_str("\">");
                    }
                    _ => {
                        let _ = write!(out, "<td class=\"num{}\">", self.shade(cell));
                    }
                }
            } else {
                out.push_str("<td>");
            }
            cell.push_html(out, numbers);
            out.push_str(if i == 0 { "</th>" } else { "</td>" });
        }
        out.push_str("</tr>");
    }

    /// The class that shades a cell of a matrix by its share of fixes.
    fn shade(&self, cell: &Cell) -> &'static str {
        match cell {
            _ if self.class != "matrix" => "",
            Cell::Ratio(_, 0, _, _) => " none",
            Cell::Ratio(_, k, _, n) if k == n => " full",
            Cell::Ratio(..) => " some",
            Cell::Words { plain, .. } if plain == NOT_RUN => " empty",
            _ => "",
        }
    }

    /// The table as JSON: an array of objects; a number is `{"n": id, "value": value, "text": text}`.
    pub fn json(&self, numbers: &Numbers) -> String {
        let mut out = String::from("[");
        for (i, row) in self.rows.iter().enumerate() {
            out.push_str(if i > 0 { ",\n{" } else { "\n{" });
            if let Some(group) = &row.group {
                let _ = write!(out, "\"group\":{},", json_string(group));
            }
            let parts = row.cells.iter().zip(&self.columns).flat_map(|(cell, column)| cell.parts(&column.key));
            for (j, (key, cell)) in parts.enumerate() {
                if j > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", json_string(key));
                cell.push_json(&mut out, numbers);
            }
            out.push('}');
        }
        out.push_str("\n]\n");
        out
    }
}

impl Cell {
    fn sort_value(&self) -> Option<f64> {
        match self {
            Cell::Ratio(_, k, _, n) => (*n > 0).then(|| f64::from(*k) / f64::from(*n)),
            _ => None,
        }
    }

    fn push_html(&self, out: &mut String, numbers: &Numbers) {
        match self {
            Cell::Words { html, .. } => out.push_str(html),
            Cell::Number(id) => out.push_str(&numbers.data(id)),
            Cell::Span(a, between, b) => {
                out.push_str(&numbers.data(a));
                if numbers.value(a).is_some() || numbers.value(b).is_some() {
                    out.push_str(between);
                    out.push_str(&numbers.data(b));
                }
            }
            Cell::Ratio(a, k, b, n) => {
                push_data(out, a, Some(f64::from(*k)), &k.to_string());
                out.push_str("<span class=\"of\">/</span>");
                push_data(out, b, Some(f64::from(*n)), &n.to_string());
            }
            Cell::Index(i) => {
                let _ = write!(out, "<code>{i}</code>");
            }
            Cell::Stack(above, _, below) => {
                above.push_html(out, numbers);
                // What is said once for the whole table is in its files alone.
                if !matches!(below.as_ref(), Cell::Words { html, .. } if html.is_empty()) {
                    out.push_str("<span class=\"sub\">");
                    below.push_html(out, numbers);
                    out.push_str("</span>");
                }
            }
            Cell::Empty => out.push_str("<span class=\"muted\">–</span>"),
        }
    }

    fn push_json(&self, out: &mut String, numbers: &Numbers) {
        match self {
            Cell::Words { plain, .. } => out.push_str(&json_string(plain)),
            Cell::Number(id) => push_json_number(out, id, numbers),
            Cell::Span(a, _, b) => {
                out.push('[');
                push_json_number(out, a, numbers);
                out.push(',');
                push_json_number(out, b, numbers);
                out.push(']');
            }
            Cell::Ratio(a, k, b, n) => {
                out.push('[');
                push_json_value(out, a, Some(f64::from(*k)), &k.to_string());
                out.push(',');
                push_json_value(out, b, Some(f64::from(*n)), &n.to_string());
                out.push(']');
            }
            Cell::Index(i) => {
                let _ = write!(out, "{i}");
            }
            Cell::Stack(..) | Cell::Empty => out.push_str("null"),
        }
    }
}

fn push_json_number(out: &mut String, id: &str, numbers: &Numbers) {
    push_json_value(out, id, numbers.value(id), numbers.text(id));
}

fn push_json_value(out: &mut String, id: &str, value: Option<f64>, text: &str) {
    let _ = write!(out, "{{\"n\":{},\"value\":", json_string(id));
    match value {
        Some(_) => push_value(out, value),
        None => out.push_str("null"),
    }
    let _ = write!(out, ",\"text\":{}}}", json_string(text));
}
