//! Paths of a tree as texts: relative to its root, with `/`, the root itself empty.

/// A name in a folder.
pub(super) fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// The folder of a path.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

/// A path as a glob that matches it.
pub(super) fn literal(path: &str) -> String {
    path.replace(['*', '?', '{', '}'], "?")
}
