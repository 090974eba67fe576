//! Rows of SWE-bench Pro tell an agent more than the statement: what is required, and which interfaces are new.

use serde_json::{Map, Value};

pub(super) const REQUIREMENTS: &str = "requirements";
pub(super) const INTERFACE: &str = "interface";
/// Both, each with the heading under which that benchmark tells agents of it.
const PARTS: [(&str, &str); 2] =
    [(REQUIREMENTS, "\n\nRequirements:\n"), (INTERFACE, "\n\nNew interfaces introduced:\n")];

/// What comes behind the statement.
pub(super) fn more(row: &Map<String, Value>) -> String {
    let part = |(key, heading): (&str, &str)| match row.get(key).and_then(Value::as_str) {
        Some(text) if !text.trim().is_empty() => format!("{heading}{text}"),
        _ => String::new(),
    };
    PARTS.map(part).concat()
}

/// The statement alone, where the parts still stand behind it as the row has them. Else they stay in the statement, where
/// an agent finds them, and their columns are emptied so that nothing is told twice.
pub(super) fn take_apart(row: &mut Map<String, Value>, problem: &str) -> String {
    if let Some(alone) = problem.strip_suffix(&more(row)) {
        return alone.to_owned();
    }
    for (key, _) in PARTS {
        row.insert(key.to_owned(), "".into());
    }
    problem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row() -> Map<String, Value> {
        json!({"requirements": "- It must.", "interface": "Function: f()"}).as_object().unwrap().clone()
    }

    #[test]
    fn what_is_required_and_new_is_told_and_goes_back_to_its_columns() {
        let mut row = row();
        let whole = format!("It is slow.{}", more(&row));
        assert_eq!(whole, "It is slow.\n\nRequirements:\n- It must.\n\nNew interfaces introduced:\nFunction: f()");
        assert_eq!(take_apart(&mut row, &whole), "It is slow.");
        assert_eq!(row, self::row());
        assert_eq!(more(json!({"requirements": " ", "interface": null}).as_object().unwrap()), "");
    }

    #[test]
    fn a_statement_that_was_changed_says_everything_itself() {
        let mut row = row();
        let changed = format!("It is slow.{} And more.", more(&row));
        assert_eq!(take_apart(&mut row, &changed), changed);
        assert_eq!((&row["requirements"], &row["interface"]), (&json!(""), &json!("")));
    }
}
