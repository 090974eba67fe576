//! Files that would stand before the libraries that run or judge tests: compiled or not, whatever their path.

use super::plan::Files;

/// Packages of test libraries and of what starts them.
const PACKAGES: [&str; 38] = [
    "org.junit",
    "junit",
    "org.hamcrest",
    "org.assertj",
    "org.mockito",
    "org.testng",
    "org.opentest4j",
    "org.apiguardian",
    "org.apache.maven",
    "org.codehaus.plexus",
    "org.gradle",
    "worker.org.gradle",
    "com.google.common.truth",
    "com.google.common.testing",
    "net.bytebuddy",
    "org.objenesis",
    "org.easymock",
    "org.jmock",
    "org.powermock",
    "io.mockk",
    "org.awaitility",
    "net.jqwik",
    "org.spockframework",
    "spock",
    "io.kotest",
    "kotlin.test",
    "org.scalatest",
    "org.scalactic",
    "munit",
    "io.cucumber",
    "org.xmlunit",
    "org.skyscreamer.jsonassert",
    "nl.jqno.equalsverifier",
    "com.tngtech.archunit",
    "io.restassured",
    "org.wiremock",
    "org.fest",
    "org.springframework.test",
];

/// The packages of [`PACKAGES`] that are not the tree's own.
pub(super) fn foreign(tree: &dyn Files) -> Vec<String> {
    let sources: Vec<String> = tree.paths().into_iter().filter(|p| p.contains("src/main/")).collect();
    let own = |package: &str| {
        let below = format!("/{}/", package.replace('.', "/"));
        sources.iter().any(|p| p.contains(&below))
    };
    PACKAGES.iter().filter(|p| !own(p)).map(|p| (*p).to_owned()).collect()
}

/// Whether a file's code is, or becomes when it is built, part of one of these packages.
///
/// A compiler asks what a file declares, not where it lies, and a link or a generator may read a file of any name: so
/// every file is read as source. Comments nest in some languages and not in others, so both readings count.
pub(super) fn stands_before(packages: &[String], path: &str, bytes: &[u8]) -> bool {
    let text = without_ignorable(&unescaped(&String::from_utf8_lossy(bytes)));
    let within = |name: &str| {
        packages.iter().any(|p| name.strip_prefix(p.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('.')))
    };
    let declared = [false, true].iter().any(|nested| {
        let clauses = clauses(&tokens(&text, *nested));
        // Scala may write a package in pieces, one clause a level.
        (0..clauses.len()).any(|from| (from..clauses.len()).any(|to| within(&clauses[from..=to].join("."))))
    });
    declared || !path.ends_with(".java") && named(&text, packages)
}

/// Whether a text speaks of a library of tests, in code or not.
pub(super) fn mentions_tests(text: &str) -> bool {
    let text = unescaped(text);
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    PACKAGES.iter().any(|package| {
        text.match_indices(package)
            .any(|(at, _)| apart(text[..at].chars().next_back()) && apart(text[at + package.len()..].chars().next()))
    })
}

/// Whether a text that is no Java names one of the packages as that of what it becomes. Strings count here: generators
/// of code take names from them, and the languages have more kinds of strings than are known here.
fn named(text: &str, packages: &[String]) -> bool {
    let flat: String = text.chars().filter(|c| !"`\"'".contains(*c)).collect();
    packages.iter().any(|package| {
        flat.match_indices(package.as_str()).any(|(at, _)| {
            let after = flat[at + package.len()..].chars().next();
            let before = flat[..at].trim_end_matches(|c: char| c.is_whitespace() || "=:(".contains(c));
            let ends_whole = after.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
            ends_whole
                && before.len() < at
                && ["package", "namespace", "namespace java", "(ns", ":name"].iter().any(|w| before.ends_with(w))
        })
    })
}

/// Words and single marks of a source in Java, as its compiler reads them.
pub(super) fn tokens_of(text: &str) -> Vec<String> {
    tokens(&without_ignorable(&unescaped(text)), false)
}

/// `\u0070` and the like as the characters that they stand for, as Java reads them before anything else.
pub(super) fn unescaped(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        if chars[at] != '\\' {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        let digits = at + 1 + chars[at + 1..].iter().take_while(|c| **c == 'u').count();
        let code: String = chars.iter().skip(digits).take(4).collect();
        let found = (digits > at + 1).then(|| u32::from_str_radix(&code, 16).ok()).flatten().and_then(char::from_u32);
        match found.filter(|_| code.chars().count() == 4) {
            Some(c) => {
                out.push(c);
                at = digits + 4;
            }
            None => {
                // The next character is escaped by this one, so it begins no escape of its own.
                out.extend(&chars[at..(at + 2).min(chars.len())]);
                at += 2;
            }
        }
    }
    out
}

/// Without the characters that a compiler of Java leaves out of names.
fn without_ignorable(text: &str) -> String {
    let ignored = |c: char| {
        (c.is_control() && !c.is_whitespace())
            || matches!(c, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0001}'..='\u{e007f}')
    };
    text.chars().filter(|c| !ignored(*c)).collect()
}

/// Words and single marks of a source, without comments and what stands in strings.
fn tokens(text: &str, nested: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match () {
            () if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            () if rest.starts_with("/*") => comment(rest, nested),
            () if rest.starts_with("\"\"\"") => 3 + rest[3..].find("\"\"\"").map_or(rest.len() - 3, |end| end + 3),
            () if first == '"' || first == '\'' => string(rest, first),
            () if first == '`' => {
                let inner = rest[1..].split('`').next().unwrap_or("");
                found.push(inner.to_owned());
                (inner.len() + 2).min(rest.len())
            }
            () if is_word(first) => {
                let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
                let length = word.len();
                found.push(word);
                length
            }
            () => {
                if !first.is_whitespace() {
                    found.push(first.to_string());
                }
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Bytes of a comment that begins a text.
fn comment(text: &str, nested: bool) -> usize {
    let (mut depth, mut at) = (1, 2);
    loop {
        let end = text[at..].find("*/").map(|i| at + i);
        let open = text[at..].find("/*").map(|i| at + i).filter(|_| nested);
        match (end, open) {
            (Some(end), Some(open)) if open < end => (depth, at) = (depth + 1, open + 2),
            (Some(end), _) if depth == 1 => return end + 2,
            (Some(end), _) => (depth, at) = (depth - 1, end + 2),
            (None, _) => return text.len(),
        }
    }
}

/// Bytes of a string that begins a text; one that does not end on its line is a mark of its own.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' | '\r' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    1
}

/// The names after each word `package`.
fn clauses(tokens: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, t)| *t == "package") {
        let mut rest = tokens[at + 1..].iter().skip_while(|t| *t == "object");
        let Some(first) = rest.next().filter(|t| t.starts_with(is_word)) else { continue };
        let mut name = first.clone();
        while let (Some("."), Some(next)) = (rest.next().map(String::as_str), rest.next()) {
            name = format!("{name}.{next}");
        }
        found.push(name);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shadows(path: &str, text: &str) -> bool {
        stands_before(&["org.junit".to_owned(), "junit".to_owned()], path, text.as_bytes())
    }

    #[test]
    fn a_package_of_a_test_library_is_found_however_it_is_written() {
        for text in [
            "package org.junit.jupiter.api;\nclass A {}",
            "/* package a; */ // package b;\r\npackage/**/org /* . x */ . \n junit;",
            "@Deprecated(since = \"a;)\\\"\") @a.B('\"')\npackage org.junit;",
            "p\\u0061ckage \\uuu006frg.j\\u0075nit;",
            "pack\u{200b}age org.ju\\u0000nit;",
            "\u{feff}package junit.framework;",
            "/* /* */ package org.junit; /* */",
            "/** \\u002a/ package org.junit;",
        ] {
            assert!(shadows("src/main/java/a/A.java", text), "{text}");
        }
        for (path, text) in [
            ("A.kt", "@file:JvmName(\"X\")\npackage `org`.`junit`.api\nclass A"),
            ("A.kt", "/* /* */ */ package org.junit"),
            ("A.groovy", "#!/usr/bin/env groovy\npackage org.junit\nclass A {}"),
            ("A.scala", "package org\npackage junit.api\nclass A"),
            ("A.scala", "package org { package object junit { } }"),
            ("a.proto", "option java_package = \"org.junit.jupiter\";"),
            ("a.thrift", "namespace java org.junit"),
            ("a.avsc", "{\"namespace\": \"org.junit\"}"),
            ("a.clj", "(ns org.junit.api (:gen-class))"),
            ("link-me.txt", "package/**/org.junit;"),
        ] {
            assert!(shadows(path, text), "{path} {text}");
        }
    }

    #[test]
    fn other_packages_and_mentions_are_none() {
        for text in [
            "package org.example;\nimport org.junit.Test;\nclass A { String s = \"package org.junit;\"; }",
            "package org.junitpioneer;\nclass A {}",
            "// package org.junit;\npackage a;\nclass A { char c = '\"'; /* package org.junit */ }",
            "package a;\nclass A { String s = \"\"\"\npackage org.junit;\n\"\"\"; }",
            "package a;\nclass A { String s = \"\\\\u0022;package org.junit;\"; }",
            "",
        ] {
            assert!(!shadows("A.java", text), "{text}");
        }
        assert!(!shadows("README.md", "Tests need org.junit.jupiter. The package is small."));
        assert!(!shadows("A.kt", "package a\nimport org.junit.Test\n"));
    }
}
