use crate::git::{GitError, Store};
use crate::schema::{Candidate, is_test_path};
use crate::tasks::{Compare, compare, sides, split};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Looks at changes in the repository itself.
pub(super) struct Looker {
    store: Store,
}

/// Files that make a folder a package.
const MANIFESTS: [&str; 9] = [
    "package.json",
    "go.mod",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "deno.json",
];

/// Names that are told in one warning.
const SHOWN: usize = 10;

impl Looker {
    pub(super) fn new(mirror: &Path) -> Result<Looker, GitError> {
        Ok(Looker { store: Store::over(&[mirror])? })
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Completes a candidate by what its trees say: the package under test, and what a person should look at. `told` are
    /// the files that the change is said to have.
    pub(super) fn complete(&self, candidate: &mut Candidate, statement: &str, told: Option<&[String]>) {
        // A mirror that is behind is no reason to lose a candidate: validation says what it lacks.
        if let Err(e) = self.try_complete(candidate, statement, told) {
            candidate.warnings.push(format!("the change was not compared with its statement: failed to {e}"));
        }
    }

    fn try_complete(
        &self,
        candidate: &mut Candidate,
        statement: &str,
        told: Option<&[String]>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let fix = self.store.commit(&candidate.fix)?;
        let base = match &candidate.base {
            Some(base) => base.clone(),
            None => fix.parents.first().cloned().ok_or("find a commit before the fix")?,
        };
        let changed = self.store.changed(&base, &fix.id)?;
        if let Some(told) = told {
            let (told, found): (BTreeSet<&String>, BTreeSet<&String>) =
                (told.iter().collect(), changed.iter().collect());
            let more: Vec<&str> = found.difference(&told).take(SHOWN).map(|p| p.as_str()).collect();
            if !more.is_empty() {
                let what = "the commit changes files that the pull request does not, so that its base may be wrong";
                candidate.warnings.push(format!("{what}: {}", more.join(", ")));
            }
        }
        let (start, fixed) = (self.store.tree_of(&base)?, self.store.tree_of(&fix.id)?);
        let tree = self.store.read(&start)?;
        if candidate.package.is_none() {
            let paths: BTreeSet<&str> = tree.keys().map(String::as_str).collect();
            candidate.package = package(&paths, &changed);
        }
        let id = candidate.id.as_deref().unwrap_or("");
        let (solution, _) = split(&self.store, id, &start, &fixed)?;
        let sides = sides(&self.store, id, &start, &fixed)?;
        let blobs: Vec<&str> = tree.values().map(|e| e.blob.as_str()).collect();
        let files: BTreeMap<String, Vec<u8>> = tree.keys().cloned().zip(self.store.many(&blobs)?).collect();
        // A statement that is not the commit's own message should not repeat it.
        let message = told.map(|_| fix.message.as_str());
        let about = Compare { solution: &solution, sides: &sides, before: &files, message };
        let found = compare(&about, statement);
        candidate.warnings.extend(found.gives_away);
        if !found.unknown.is_empty() {
            let names: Vec<String> = found.unknown.iter().take(SHOWN).map(ToString::to_string).collect();
            let what = "the hidden tests use names that neither the starting tree nor the statement has";
            candidate.warnings.push(format!("{what}: {}", names.join("; ")));
        }
        Ok(())
    }
}

/// The one folder below the root whose package all changed tests belong to, if there is one. A manifest among tests makes
/// no package: it is a fixture.
fn package(paths: &BTreeSet<&str>, changed: &[String]) -> Option<String> {
    let of = |file: &str| -> String {
        let mut folder = file;
        while let Some((above, _)) = folder.rsplit_once('/') {
            let manifests = MANIFESTS.iter().map(|name| format!("{above}/{name}"));
            if manifests.into_iter().any(|m| paths.contains(m.as_str()) && !is_test_path(&m)) {
                return above.to_owned();
            }
            folder = above;
        }
        String::new()
    };
    let folders: BTreeSet<String> = changed.iter().filter(|f| is_test_path(f)).map(|f| of(f)).collect();
    let mut folders = folders.into_iter();
    folders.next().filter(|only| !only.is_empty() && folders.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(changed: &[&str]) -> Option<String> {
        let paths = [
            "package.json",
            "packages/a/package.json",
            "packages/a/src/x.ts",
            "packages/b/package.json",
            "packages/a/test/fixtures/app/package.json",
            "README.md",
        ];
        package(&paths.into_iter().collect(), &changed.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn tests_of_one_package_name_it_and_fixtures_do_not() {
        assert_eq!(of(&["packages/a/src/x.test.ts", "packages/b/src/y.ts"]).as_deref(), Some("packages/a"));
        assert_eq!(of(&["packages/a/test/fixtures/app/a.test.ts"]).as_deref(), Some("packages/a"));
    }

    #[test]
    fn tests_of_several_packages_or_of_the_root_name_none() {
        assert_eq!(of(&["packages/a/x.test.ts", "packages/b/y.test.ts"]), None);
        assert_eq!(of(&["test/x.test.ts", "packages/a/x.test.ts"]), None);
        assert_eq!(of(&["test/x.test.ts"]), None);
    }
}
