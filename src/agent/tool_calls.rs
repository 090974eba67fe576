//! Calls of tools: those that a provider hands over, and those that a model without function calling writes as JSON.

use super::fence::blocks;
use crate::gateway::{Reply, Tool, ToolCall};
use serde_json::{Map, Value, json};

/// The tools and their arguments, as a model is told of them.
pub(super) fn list() -> Vec<Tool> {
    let text = |what: &str| json!({"type": "string", "description": what});
    let number = |what: &str| json!({"type": "integer", "description": what});
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }),
    };
    let path = || text("Path of a file, relative to the root of the repository");
    vec![
        tool(
            "read_file",
            "Read a text file with line numbers, at most 400 lines at once.",
            json!({"path": path(), "first_line": number("First line, from 1 on"), "last_line": number("Last line")}),
            &["path"],
        ),
        tool(
            "search",
            "Search all files for an extended regular expression. Prints path, line number and line.",
            json!({"pattern": text("The expression"), "path": text("A folder or file to search in instead of all")}),
            &["pattern"],
        ),
        tool(
            "edit_file",
            "Replace a text that occurs exactly once in a file by another. An empty old text makes a new file.",
            json!({"path": path(), "old": text("The text to replace, exactly"), "new": text("The text in its place")}),
            &["path", "old", "new"],
        ),
        tool(
            super::Tools::RUN,
            "Run a command with bash in the root of the repository. There is no network. What it started ends with it.",
            json!({"command": text("The command")}),
            &["command"],
        ),
        tool("run_tests", "Run the tests that are in the repository.", json!({}), &[]),
        tool(super::Tools::SUBMIT, "Hand the work in. This ends it.", json!({}), &[]),
    ]
}

/// The calls of a reply. `id` is none for a call that was written as JSON in the text.
pub(super) fn of_reply(reply: &Reply) -> Vec<(Option<&str>, ToolCall)> {
    if !reply.tool_calls.is_empty() {
        return reply.tool_calls.iter().map(|c| (Some(c.id.as_str()), c.clone())).collect();
    }
    written(&reply.text).map(|call| (None, call)).into_iter().collect()
}

/// `{"tool": …, "arguments": {…}}` as the whole text or in its last fenced block.
fn written(text: &str) -> Option<ToolCall> {
    let of = |body: &str| -> Option<ToolCall> {
        let value: Map<String, Value> = serde_json::from_str(body.trim()).ok()?;
        let name = value.get("tool").or_else(|| value.get("name"))?.as_str()?.to_owned();
        let arguments = value.get("arguments").cloned().unwrap_or_else(|| json!({}));
        Some(ToolCall { id: String::new(), name, arguments: arguments.to_string() })
    };
    let fenced = blocks(text).into_iter().filter(|(tag, _)| matches!(tag.as_str(), "" | "json"));
    of(text).or_else(|| fenced.filter_map(|(_, body)| of(&body)).next_back())
}

/// The arguments of a call, or what is wrong with them.
pub(super) fn arguments(call: &ToolCall) -> Result<Map<String, Value>, String> {
    if call.arguments.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("the arguments are no JSON object".into()),
        Err(e) => Err(format!("the arguments are no JSON: {e}")),
    }
}

/// A text among arguments.
pub(super) fn text<'m>(map: &'m Map<String, Value>, name: &str) -> Result<&'m str, String> {
    map.get(name).and_then(Value::as_str).ok_or_else(|| format!("the argument {name:?} is missing or is no text"))
}

/// A line number among arguments, which some models write as a text.
pub(super) fn line(map: &Map<String, Value>, name: &str) -> Option<usize> {
    match map.get(name)? {
        Value::String(digits) => digits.trim().parse().ok(),
        other => other.as_u64().and_then(|n| usize::try_from(n).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_written_as_json_is_found_and_prose_is_none() {
        for (text, name) in [
            (r#"{"tool": "submit"}"#, Some("submit")),
            ("I look.\n```json\n{\"tool\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```", Some("read_file")),
            ("```json\n{\"tool\": \"a\"}\n```\n```json\n{\"name\": \"b\", \"arguments\": {}}\n```", Some("b")),
            ("```bash\nls\n```", None),
            ("{\"tool\": 1}", None),
            ("[1]", None),
            ("", None),
        ] {
            assert_eq!(written(text).map(|c| c.name).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn arguments_that_are_no_object_are_told() {
        let call = |arguments: &str| ToolCall { id: "1".into(), name: "x".into(), arguments: arguments.into() };
        assert!(arguments(&call("[]")).is_err() && arguments(&call("{\"a\"")).is_err());
        assert_eq!(arguments(&call("")).unwrap().len(), 0);
        let map = arguments(&call("{\"a\": \"b\", \"n\": 3, \"t\": \"4\"}")).unwrap();
        assert_eq!((text(&map, "a"), line(&map, "n"), line(&map, "t")), (Ok("b"), Some(3), Some(4)));
        assert!(text(&map, "n").is_err());
    }
}
