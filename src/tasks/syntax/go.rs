use super::{Place, Role, Source, Use};

const FUNCTIONS: [&str; 3] = ["function_declaration", "method_declaration", "func_literal"];
/// How the names of functions begin that `go test` runs.
const TESTS: [&str; 4] = ["Test", "Benchmark", "Fuzz", "Example"];

/// Reads a leaf.
pub(super) fn read(place: &Place<'_, '_>, found: &mut Source) {
    match place.node.kind() {
        "identifier" | "field_identifier" => found.add(place, role(place)),
        "type_identifier" => {
            found.add(place, role(place));
            // An embedded type is a field of its name.
            let embedded = place.kind(1) == "field_declaration"
                && place.around(1).is_some_and(|(node, _)| node.child_by_field_name("name").is_none());
            if embedded {
                found.add(place, Role::Member);
            }
        }
        "package_identifier" => {
            let role = match place.kind(1) {
                "package_clause" => Role::Nothing,
                "import_spec" => Role::Local,
                _ => Role::Uses(Use::Name),
            };
            found.add(place, role);
        }
        "interpreted_string_literal_content" | "raw_string_literal_content" if place.kind(2) == "import_spec" => {
            found.add_path(place);
        }
        "interpreted_string_literal_content" => found.add_string(place),
        _ => {}
    }
}

fn role(place: &Place<'_, '_>) -> Role {
    let inside = place.is_within(&FUNCTIONS, 2);
    match (place.kind(1), place.field) {
        ("function_declaration", "name") if TESTS.iter().any(|t| place.text().starts_with(t)) => Role::Test,
        ("function_declaration" | "method_declaration" | "method_elem" | "method_spec", "name") => Role::Member,
        ("type_spec" | "type_alias", "name") if inside => Role::Local,
        ("type_spec" | "type_alias", "name") | ("field_declaration", "name") => Role::Member,
        ("const_spec" | "var_spec", "name") if inside => Role::Local,
        ("const_spec" | "var_spec", "name") => Role::Variable,
        ("parameter_declaration" | "variadic_parameter_declaration" | "type_parameter_declaration", "name") => {
            Role::Local
        }
        ("expression_list", _) if is_new(place) => Role::Local,
        ("selector_expression", "field") => match (place.kind(2), place.field_of(1)) {
            ("call_expression", "function") => Role::Uses(Use::Call),
            _ => Role::Uses(Use::Member),
        },
        ("qualified_type", "name") => Role::Uses(Use::Member),
        ("literal_element", _) if place.kind(2) == "keyed_element" && place.field_of(1) == "key" => {
            Role::Uses(Use::Keyword)
        }
        ("label_name" | "labeled_statement" | "goto_statement", _) => Role::Nothing,
        _ => Role::Uses(Use::Name),
    }
}

/// Whether the list that a name is in declares variables.
fn is_new(place: &Place<'_, '_>) -> bool {
    matches!(
        (place.kind(2), place.field_of(1)),
        ("short_var_declaration", "left")
            | ("type_switch_statement", "alias")
            | ("range_clause" | "receive_statement", "left")
    )
}
