use super::{Place, Role, Source, Use};

const FUNCTIONS: [&str; 2] = ["function_definition", "lambda"];
/// What may stand between a variable and the statement that gives it a value.
const PATTERNS: [&str; 6] = [
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "as_pattern_target",
    "parenthesized_expression",
];
/// Functions that make classes and attributes of the texts that they are given.
const MAKERS: [&str; 8] =
    ["namedtuple", "Enum", "IntEnum", "StrEnum", "Flag", "make_dataclass", "TypedDict", "setattr"];

/// Reads a leaf.
pub(super) fn read(place: &Place<'_, '_>, found: &mut Source) {
    match place.node.kind() {
        "identifier" => found.add(place, role(place)),
        "string_content" => {
            found.add_string(place);
            if let Some((up, _)) = place.nearest(&["call"])
                && MAKERS.contains(&place.text_in(up, "function").rsplit('.').next().unwrap_or(""))
            {
                let line = place.node.start_position().row + 1;
                let names = place.text().split([' ', ',']).filter(|n| super::is_name(n));
                found.words.extend(names.map(|n| super::Word { name: n.to_owned(), line, role: Role::Member }));
            }
        }
        _ => {}
    }
}

fn role(place: &Place<'_, '_>) -> Role {
    let inside = place.is_within(&FUNCTIONS, 2);
    match (place.kind(1), place.field) {
        ("function_definition", "name") if place.text().starts_with("test") => Role::Test,
        ("function_definition", "name") if inside && !in_class(place, 2) => Role::Local,
        ("function_definition" | "class_definition", "name") => Role::Member,
        ("parameters" | "lambda_parameters" | "typed_parameter", "")
        | ("default_parameter" | "typed_default_parameter", "name") => Role::Parameter,
        ("list_splat_pattern" | "dictionary_splat_pattern", _) if place.kind(2).ends_with("parameters") => Role::Local,
        ("attribute", "attribute") => attribute(place),
        ("keyword_argument", "name") => Role::Uses(Use::Keyword),
        ("keyword_pattern", "") => Role::Uses(Use::Keyword),
        ("dotted_name", _) => dotted(place),
        ("aliased_import", "alias") if inside => Role::Local,
        ("aliased_import", "alias") => Role::Variable,
        ("global_statement" | "nonlocal_statement", _) => Role::Nothing,
        ("named_expression", "name") | ("as_pattern_target", _) => Role::Local,
        _ if is_target(place) => variable(place, inside),
        _ => Role::Uses(Use::Name),
    }
}

/// Whether the function or variable so many steps up is one of a class.
fn in_class(place: &Place<'_, '_>, from: usize) -> bool {
    let kinds = ["class_definition", "function_definition", "lambda"];
    let found = (from..).map_while(|up| place.around(up)).find(|(node, _)| kinds.contains(&node.kind()));
    found.is_some_and(|(node, _)| node.kind() == "class_definition")
}

/// Whether a name stands where a statement gives a value to it.
fn is_target(place: &Place<'_, '_>) -> bool {
    let mut up = 1;
    let mut field = place.field;
    while PATTERNS.contains(&place.kind(up)) {
        field = place.field_of(up);
        up += 1;
    }
    field == "left"
        && ["assignment", "augmented_assignment", "for_statement", "for_in_clause"].contains(&place.kind(up))
}

fn variable(place: &Place<'_, '_>, inside: bool) -> Role {
    match (in_class(place, 1), inside) {
        (true, _) => Role::Member,
        (false, true) => Role::Local,
        (false, false) => Role::Variable,
    }
}

fn attribute(place: &Place<'_, '_>) -> Role {
    let own = ["self", "cls"].contains(&place.text_in(1, "object"));
    let mut up = 1;
    while PATTERNS.contains(&place.kind(up + 1)) {
        up += 1;
    }
    match (place.kind(up + 1), place.field_of(up)) {
        ("assignment", "left") => Role::Sets(own),
        _ if own => Role::Uses(Use::Own),
        ("call", "function") => Role::Uses(Use::Call),
        _ => Role::Uses(Use::Member),
    }
}

/// A part of a dotted name: of an import, or of a pattern.
fn dotted(place: &Place<'_, '_>) -> Role {
    let (up, field) = match place.kind(2) {
        "aliased_import" => (3, "name"),
        _ => (2, place.field_of(1)),
    };
    match (place.kind(up), field) {
        ("import_from_statement", "module_name") | ("import_statement", _) => Role::Uses(Use::Module),
        ("import_from_statement", _) => Role::Uses(Use::Import),
        ("relative_import", _) => Role::Uses(Use::Module),
        ("future_import_statement", _) => Role::Nothing,
        _ => Role::Uses(Use::Name),
    }
}
