use super::{Place, Role, Source, Use, Word};

/// Declarations of types, and what stands in them.
const DECLARES: [&str; 7] = [
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
    "enum_constant",
    "annotation_type_element_declaration",
];
/// Annotations that make methods of fields.
const MAKERS: [&str; 6] = ["Data", "Getter", "Setter", "Value", "Accessors", "With"];

/// Reads a leaf.
pub(super) fn read(place: &Place<'_, '_>, found: &mut Source) {
    match place.node.kind() {
        "identifier" | "type_identifier" => {
            let role = role(place);
            if role == Role::Member && place.kind(2) == "field_declaration" {
                accessors(place, found);
            }
            found.add(place, role);
        }
        "string_fragment" => found.add_string(place),
        _ => {}
    }
}

fn role(place: &Place<'_, '_>) -> Role {
    match (place.kind(1), place.field) {
        (kind, "name") if DECLARES.contains(&kind) => Role::Member,
        ("method_declaration", "name") => method(place),
        ("constructor_declaration" | "compact_constructor_declaration", "name") => Role::Nothing,
        ("variable_declarator", "name") => match place.kind(2) {
            "field_declaration" | "constant_declaration" => Role::Member,
            _ => Role::Local,
        },
        ("formal_parameter", "name") if place.kind(3) == "record_declaration" => Role::Member,
        ("formal_parameter" | "catch_formal_parameter" | "resource" | "enhanced_for_statement", "name")
        | ("instanceof_expression", "name")
        | ("lambda_expression", "parameters")
        | ("inferred_parameters" | "type_parameter" | "record_pattern_component" | "type_pattern", _) => Role::Local,
        ("method_invocation", "name") => called(place),
        ("field_access", "field") => match place.text_in(1, "object") {
            "this" | "super" => Role::Uses(Use::Own),
            _ => Role::Uses(Use::Member),
        },
        ("method_reference", _) if place.node.prev_sibling().is_some_and(|n| n.kind() == "::") => {
            Role::Uses(Use::Member)
        }
        ("element_value_pair", "key") => Role::Uses(Use::Keyword),
        ("scoped_identifier" | "import_declaration" | "package_declaration", _) => path(place),
        ("labeled_statement" | "break_statement" | "continue_statement", _) => Role::Nothing,
        _ => Role::Uses(Use::Name),
    }
}

fn called(place: &Place<'_, '_>) -> Role {
    match place.text_in(1, "object") {
        "" => Role::Uses(Use::Name),
        "this" | "super" => Role::Uses(Use::Own),
        _ => Role::Uses(Use::Call),
    }
}

/// The annotations of the declaration so many steps up.
fn annotations(place: &Place<'_, '_>, up: usize) -> Vec<String> {
    let Some((node, _)) = place.around(up) else { return Vec::new() };
    let mut cursor = node.walk();
    let modifiers = node.children(&mut cursor).find(|c| c.kind() == "modifiers");
    let Some(modifiers) = modifiers else { return Vec::new() };
    let mut cursor = modifiers.walk();
    let names = modifiers.children(&mut cursor).filter_map(|c| c.child_by_field_name("name"));
    names.map(|n| place.text_of(n).rsplit('.').next().unwrap_or("").to_owned()).collect()
}

fn method(place: &Place<'_, '_>) -> Role {
    let annotations = annotations(place, 1);
    if annotations.iter().any(|a| a == "Override") {
        Role::Overrides
    } else if place.text().starts_with("test") || annotations.iter().any(|a| a.contains("Test")) {
        Role::Test
    } else {
        Role::Member
    }
}

/// A part of a path of packages: of an import or of an expression.
fn path(place: &Place<'_, '_>) -> Role {
    let mut up = 1;
    let mut last = place.field == "name" || place.kind(1) != "scoped_identifier";
    while place.kind(up) == "scoped_identifier" {
        last &= place.field_of(up) != "scope";
        up += 1;
    }
    match place.around(up) {
        Some((node, _)) if node.kind() == "import_declaration" => {
            let mut cursor = node.walk();
            let all = node.children(&mut cursor).any(|c| c.kind() == "asterisk");
            Role::Uses(if last && !all { Use::Import } else { Use::Module })
        }
        Some((node, _)) if node.kind() == "package_declaration" => Role::Nothing,
        _ => Role::Uses(Use::Name),
    }
}

/// Methods that an annotation of a field or of its class makes of it.
fn accessors(place: &Place<'_, '_>, found: &mut Source) {
    let class = place.nearest(&["class_declaration"]).map(|(up, _)| annotations(place, up)).unwrap_or_default();
    let mut all = annotations(place, 2).into_iter().chain(class);
    if !all.any(|a| MAKERS.contains(&a.as_str())) {
        return;
    }
    let mut letters = place.text().chars();
    let Some(first) = letters.next() else { return };
    let big: String = first.to_uppercase().chain(letters).collect();
    let line = place.node.start_position().row + 1;
    let names = ["get", "set", "is", "with"].map(|start| format!("{start}{big}"));
    found.words.extend(names.map(|name| Word { name, line, role: Role::Member }));
}
