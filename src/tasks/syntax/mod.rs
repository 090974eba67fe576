//! Names in source text by what they are there: declared, used, or neither. Comments and strings hold none.
//!
//! In: a path and its bytes. Out: every name with its line and its role. Which names matter is for others to say.

mod go;
mod java;
mod python;
mod script;

use tree_sitter::{Language, Node, Parser};

/// Bytes of a file above which it is taken for generated, and not read.
const MOST_BYTES: usize = 2 << 20;

/// What a name does where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Declares what others can reach by name: a function, a type, a method, a field, a constant of a type.
    Member,
    /// Declares a function that a runner takes for a test.
    Test,
    /// Declares a variable or a constant of a module.
    Variable,
    /// Declares a parameter that callers may name.
    Parameter,
    /// Declares what ends with its function.
    Local,
    /// Assigns an attribute: `true` where it is one of the object itself.
    Sets(bool),
    /// Names a member of an object that is built.
    Key,
    /// Takes a member out of an object into a variable of the same name.
    Takes,
    /// Declares a method that another type asks for.
    Overrides,
    /// Uses a name that is declared elsewhere.
    Uses(Use),
    /// Names what nobody declares: a label, the module of a file itself.
    Nothing,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// By itself.
    Name,
    /// As a member of something that is not the object itself.
    Member,
    /// As a member that is called.
    Call,
    /// As a member of the object itself.
    Own,
    /// As the name of an argument, a property or a field that is given a value.
    Keyword,
    /// As what an import asks a module for.
    Import,
    /// As a part of the path of a module.
    Module,
}

/// A name in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub name: String,
    /// From 1 on.
    pub line: usize,
    pub role: Role,
}

/// What a source text says.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    /// Its names, in order.
    pub words: Vec<Word>,
    /// Strings that are a name as a whole, which some programs use as one.
    pub strings: Vec<String>,
}

/// A node, the field of its parent that it is in, and what stands around it, the outermost first.
pub(super) struct Place<'a, 'tree> {
    pub node: Node<'tree>,
    pub field: &'tree str,
    above: &'a [(Node<'tree>, &'tree str)],
    text: &'a str,
}

impl<'tree> Place<'_, 'tree> {
    /// The kind of the node so many steps up; 1 is the parent.
    pub fn kind(&self, up: usize) -> &'tree str {
        self.around(up).map_or("", |(node, _)| node.kind())
    }

    /// The field in which the node so many steps up stands.
    pub fn field_of(&self, up: usize) -> &'tree str {
        self.around(up).map_or("", |(_, field)| field)
    }

    pub fn around(&self, up: usize) -> Option<(Node<'tree>, &'tree str)> {
        self.above.len().checked_sub(up).and_then(|at| self.above.get(at)).copied()
    }

    /// Whether a node of one of these kinds is around it, beginning so many steps up.
    pub fn is_within(&self, kinds: &[&str], from: usize) -> bool {
        let end = (self.above.len() + 1).saturating_sub(from);
        self.above[..end.min(self.above.len())].iter().any(|(node, _)| kinds.contains(&node.kind()))
    }

    /// The nearest of these kinds around it, and how many steps up it stands.
    pub fn nearest(&self, kinds: &[&str]) -> Option<(usize, &'tree str)> {
        (1..=self.above.len()).map(|up| (up, self.kind(up))).find(|(_, kind)| kinds.contains(kind))
    }

    pub fn text(&self) -> &str {
        self.text_of(self.node)
    }

    pub fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// The text of a field of the node so many steps up.
    pub fn text_in(&self, up: usize, field: &str) -> &str {
        self.around(up).and_then(|(node, _)| node.child_by_field_name(field)).map_or("", |n| self.text_of(n))
    }
}

/// A language by the ends of its files' names: its grammar, and what a leaf of its tree says.
struct Grammar {
    language: Language,
    /// Adds the words of a leaf.
    read: fn(&Place<'_, '_>, &mut Source),
}

fn grammar(path: &str) -> Option<Grammar> {
    let (_, end) = path.rsplit_once('.')?;
    let (language, read): (Language, fn(&Place<'_, '_>, &mut Source)) = match end {
        "py" | "pyi" => (tree_sitter_python::LANGUAGE.into(), python::read),
        "ts" | "mts" | "cts" => (tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), script::read),
        "tsx" | "js" | "jsx" | "mjs" | "cjs" => (tree_sitter_typescript::LANGUAGE_TSX.into(), script::read),
        "java" => (tree_sitter_java::LANGUAGE.into(), java::read),
        "go" => (tree_sitter_go::LANGUAGE.into(), go::read),
        _ => return None,
    };
    Some(Grammar { language, read })
}

/// Reads a source text; none where its language is not known here or it is too large to have been written.
pub(super) fn read(path: &str, bytes: &[u8]) -> Option<Source> {
    let Grammar { language, read } = grammar(path).filter(|_| bytes.len() <= MOST_BYTES)?;
    let text = String::from_utf8_lossy(bytes);
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    let tree = parser.parse(text.as_bytes(), None)?;
    let mut found = Source::default();
    let (mut cursor, mut above) = (tree.walk(), Vec::new());
    loop {
        let (node, field) = (cursor.node(), cursor.field_name().unwrap_or(""));
        if node.is_named() && node.child_count() == 0 {
            read(&Place { node, field, above: &above, text: &text }, &mut found);
        }
        if cursor.goto_first_child() {
            above.push((node, field));
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
            above.pop();
        }
    }
}

impl Source {
    fn add(&mut self, place: &Place<'_, '_>, role: Role) {
        let line = place.node.start_position().row + 1;
        let name = place.text().trim_start_matches('#').to_owned();
        if !name.is_empty() && name.chars().any(|c| c != '_') {
            self.words.push(Word { name, line, role });
        }
    }

    /// The parts of the path of a module that a string names.
    fn add_path(&mut self, place: &Place<'_, '_>) {
        let line = place.node.start_position().row + 1;
        for part in place.text().split(['/', '\\']).filter(|p| !p.starts_with('.')) {
            let name = part.split('.').next().unwrap_or(part).to_owned();
            self.words.push(Word { name, line, role: Role::Uses(Use::Module) });
        }
    }

    /// A string, where it is a name as a whole.
    fn add_string(&mut self, place: &Place<'_, '_>) {
        if is_name(place.text()) {
            self.strings.push(place.text().to_owned());
        }
    }
}

/// Whether a text is one name.
pub(super) fn is_name(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(part)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
