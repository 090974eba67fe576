use super::Files;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A tree of which each file is read but once: a read may start a process.
pub(super) struct Once<'a> {
    tree: &'a dyn Files,
    read: RefCell<BTreeMap<String, Option<Vec<u8>>>>,
}

impl<'a> Once<'a> {
    /// Over a tree.
    pub(super) fn new(tree: &'a dyn Files) -> Once<'a> {
        Once { tree, read: RefCell::default() }
    }
}

impl Files for Once<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let mut read = self.read.borrow_mut();
        read.entry(path.to_owned()).or_insert_with(|| self.tree.read(path)).clone()
    }

    fn paths(&self) -> Vec<String> {
        self.tree.paths()
    }

    fn has(&self, path: &str) -> bool {
        self.tree.has(path)
    }
}
