use super::{Place, Role, Source, Use};

const FUNCTIONS: [&str; 7] = [
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "arrow_function",
    "method_definition",
    "class_static_block",
];
/// Declarations whose name others can reach.
const DECLARES: [&str; 9] = [
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "internal_module",
];
/// Members of types.
const MEMBERS: [&str; 6] = [
    "abstract_method_signature",
    "method_signature",
    "property_signature",
    "public_field_definition",
    "enum_assignment",
    "enum_body",
];
/// Functions whose first argument is the path of a module.
const LOADS: [&str; 7] =
    ["require", "import", "require.resolve", "jest.mock", "vi.mock", "jest.requireActual", "vi.importActual"];

/// Reads a leaf.
pub(super) fn read(place: &Place<'_, '_>, found: &mut Source) {
    match place.node.kind() {
        "identifier" | "type_identifier" => found.add(place, name(place)),
        "property_identifier" | "private_property_identifier" => found.add(place, property(place)),
        "shorthand_property_identifier" => {
            found.add(place, Role::Key);
            found.add(place, Role::Uses(Use::Name));
        }
        "shorthand_property_identifier_pattern" => found.add(place, Role::Takes),
        "string_fragment" if is_path(place) => found.add_path(place),
        "string_fragment" if place.kind(2) == "pair" && place.field_of(1) == "key" && super::is_name(place.text()) => {
            found.add(place, Role::Key);
        }
        "string_fragment" => {
            found.add_string(place);
            let defines = place.kind(3) == "call_expression"
                && place.text_in(3, "function").ends_with("defineProperty")
                && super::is_name(place.text());
            if defines {
                found.add(place, Role::Member);
            }
        }
        _ => {}
    }
}

fn is_path(place: &Place<'_, '_>) -> bool {
    match place.kind(2) {
        "import_statement" | "export_statement" => place.field_of(1) == "source",
        "arguments" => LOADS.contains(&place.text_in(3, "function")),
        _ => false,
    }
}

fn name(place: &Place<'_, '_>) -> Role {
    let inside = place.is_within(&FUNCTIONS, 2);
    let declared = |role| if inside { Role::Local } else { role };
    match (place.kind(1), place.field) {
        (kind, "name") if DECLARES.contains(&kind) => declared(Role::Member),
        ("variable_declarator", "name") => declared(Role::Variable),
        ("required_parameter" | "optional_parameter", "pattern") => {
            let (node, _) = match place.around(1) {
                Some(around) => around,
                None => return Role::Local,
            };
            let property = (0..node.child_count()).filter_map(|i| node.child(i));
            let property = property.into_iter().any(|c| ["accessibility_modifier", "readonly"].contains(&c.kind()));
            if property { Role::Member } else { Role::Local }
        }
        ("arrow_function", "parameter") | ("catch_clause", "parameter") => Role::Local,
        ("function_expression" | "class" | "type_parameter", "name") => Role::Local,
        ("array_pattern" | "rest_pattern", _) | ("pair_pattern", "value") => Role::Local,
        ("assignment_pattern" | "object_assignment_pattern", "left") => Role::Local,
        ("for_in_statement", "left") => Role::Local,
        ("import_specifier", "name") => Role::Uses(Use::Import),
        ("import_specifier", "alias") | ("import_clause" | "namespace_import", _) => Role::Local,
        ("export_specifier", "alias") => Role::Member,
        ("nested_type_identifier", "name") => Role::Uses(Use::Member),
        ("type_predicate", "name") => Role::Nothing,
        _ => Role::Uses(Use::Name),
    }
}

fn property(place: &Place<'_, '_>) -> Role {
    match (place.kind(1), place.field) {
        (kind, _) if MEMBERS.contains(&kind) => Role::Member,
        ("method_definition", "name") if place.kind(2) == "object" => Role::Key,
        ("method_definition", "name") if place.text() == "constructor" => Role::Nothing,
        ("method_definition", "name") => Role::Member,
        ("pair", "key") => Role::Key,
        ("pair_pattern", "key") => Role::Uses(Use::Member),
        ("jsx_attribute", _) => Role::Uses(Use::Keyword),
        ("member_expression", "property") => member(place),
        _ => Role::Uses(Use::Member),
    }
}

fn member(place: &Place<'_, '_>) -> Role {
    let own = place.text_in(1, "object") == "this";
    match (place.kind(2), place.field_of(1)) {
        ("assignment_expression", "left") => Role::Sets(own),
        _ if own => Role::Uses(Use::Own),
        ("call_expression", "function") => Role::Uses(Use::Call),
        _ => Role::Uses(Use::Member),
    }
}
