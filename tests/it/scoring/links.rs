//! Links and letters by which a file gets a name that a list of paths does not have.

use super::world;

#[test]
fn a_link_that_stands_for_a_protected_folder_is_dropped_and_named() {
    for (task, link) in [
        ("py-opening-hours", "__pycache__"),
        ("py-opening-hours", "src/cheat.dist-info"),
        ("ts-monorepo-duration", "packages/duration/node_modules"),
        ("ts-ttl-cache", ".yarn"),
        ("java-money-split", ".mvn"),
        ("java-money-split", "src/main/resources/mockito-extensions"),
        ("go-job-queue", "vendor"),
    ] {
        // Whether anything is there yet: an installation or a run may put it there.
        for files in [&[("any/where/file", Some("x\n"))][..], &[]] {
            let up = "../".repeat(link.matches('/').count());
            let made = world(task).of_links(files, &[(link, &format!("{up}any/where"))]);
            assert_eq!(made.dropped, [link], "{task} {}", files.len());
        }
    }
}

#[test]
fn a_link_through_which_a_file_has_a_protected_name_is_dropped_and_named() {
    for (task, file, link, target) in [
        ("java-money-split", "any/org.junit.x", "src/main/resources/META-INF/services", "../../../../any"),
        ("java-money-split", "any/META-INF/services/org.junit.x", "src/main/resources", "../../any"),
        ("py-opening-hours", "any/conftest.py", "more", "any"),
        ("py-opening-hours", "any/tests/test_a.py", "more", "any"),
        ("ts-ttl-cache", "any/node_modules/a/index.js", "more", "any"),
        ("go-job-queue", "any/testdata/modules.txt", "more", "any"),
    ] {
        let world = world(task);
        let made = world.of_links(&[(file, Some("x\n"))], &[(link, target)]);
        assert!(made.dropped.contains(&link.to_owned()), "{task} {link}: {:?}", made.dropped);
        // By two links, each of which says little.
        let (first, rest) = target.rsplit_once('/').map_or(("", target), |(up, last)| (up, last));
        let second = if first.is_empty() { "step".to_owned() } else { format!("{first}/step") };
        let made = world.of_links(&[(file, Some("x\n"))], &[(link, &second), ("step", rest)]);
        assert!(made.dropped.contains(&link.to_owned()), "{task} {link} by step: {:?}", made.dropped);
    }
}

#[test]
fn what_a_patch_removes_and_gets_back_counts_as_being_there() {
    let mut world = world("py-opening-hours");
    world.task.spec.protected = vec!["more/hours.py".into(), "src/openhours/hours.py".into()];
    let made = world.of_links(&[("src/openhours/hours.py", None)], &[("more", "src/openhours")]);
    assert_eq!(made.dropped, ["more", "src/openhours/hours.py"]);
}

#[test]
fn a_link_to_a_text_is_judged_by_what_the_text_says() {
    let world = world("java-route-table");
    let path = "src/main/java/org/example/routes/Any.java";
    let made = world.of_links(
        &[("doc/any.txt", Some("package org.example.routes;\nclass Any {}\n"))],
        &[(path, "../../../../../../doc/any.txt")],
    );
    assert!(made.dropped.is_empty(), "{:?}", made.dropped);
}

#[test]
fn links_of_honest_patches_are_kept() {
    for (task, link, target) in [
        ("py-opening-hours", "lib", "src"),
        ("go-job-queue", "docs/README.md", "../README.md"),
        ("ts-ttl-cache", "docs/source", "../src"),
        ("java-money-split", "LICENSE", "nothing-yet"),
    ] {
        let made = world(task).of_links(&[("docs/a.txt", Some("x\n"))], &[(link, target)]);
        assert!(made.dropped.is_empty(), "{task} {link}: {:?}", made.dropped);
    }
}

#[test]
fn links_that_go_in_circles_are_dropped_and_end() {
    let links = [("d/to", "../e"), ("e/to", "../d"), ("here", "."), ("a", "b"), ("b", "a")];
    let made = world("go-job-queue").of_links(&[("d/a.txt", Some("x\n"))], &links);
    assert!(["d/to", "here"].iter().all(|link| made.dropped.contains(&(*link).to_owned())), "{:?}", made.dropped);
    assert!(!made.dropped.contains(&"d/a.txt".to_owned()), "{:?}", made.dropped);
}

#[test]
fn a_protected_name_is_protected_in_whatever_letters_it_is_written() {
    for (task, path) in [
        ("py-opening-hours", "src/cheat.DIST-INFO/entry_points.txt"),
        ("py-opening-hours", "src/Cheat.Egg-Info/entry_points.txt"),
        ("java-money-split", ".MVN/maven.config"),
        ("ts-ttl-cache", "Vitest.Config.ts"),
    ] {
        assert_eq!(world(task).of(&[(path, Some("x\n"))]).dropped, [path], "{task}");
    }
}
