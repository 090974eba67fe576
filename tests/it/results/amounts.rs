use super::folder::{Folder, jsonl, with};
use serde_json::json;

#[test]
fn tokens_of_one_side_are_known_without_the_other() {
    let data = Folder::with(jsonl(&[with("usage", json!({"output": 7}))])).read();
    let row = &data.runs[0].rows[0];
    assert_eq!((row.input_tokens(), row.output_tokens(), row.tokens()), (None, Some(7), None));
}

#[test]
fn a_cost_is_kept_to_the_bit() {
    let data = Folder::with(jsonl(&[with("cost_usd", json!(0.123_456_789_123_4))])).read();
    let row = &data.runs[0].rows[0];
    assert_eq!((row.cost_usd(), row.cost_nano()), (Some(0.123_456_789_123_4), Some(123_456_789)));
}
