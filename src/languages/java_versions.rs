//! What a patch may say in a build file: a newer version of the language, in the places where builds name it, and nothing
//! else.

use super::{Merged, Mixed};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Properties of Maven that name the version of the language.
const PROPERTIES: [&str; 4] =
    ["maven.compiler.release", "maven.compiler.source", "maven.compiler.target", "java.version"];

/// Elements of the compiler's configuration that do.
const ELEMENTS: [&str; 3] = ["release", "source", "target"];

/// Lines of a build script that name it.
const WORDS: [&str; 5] =
    ["sourceCompatibility", "targetCompatibility", "JavaLanguageVersion.of(", "jvmToolchain(", "options.release"];

/// Letters of a line that a name shows.
const MOST_OF_LINE: usize = 80;

/// A version of the language, by its own number: `1.8` is 8.
fn level(text: &str) -> Option<u32> {
    let text = text.trim();
    text.strip_prefix("1.").unwrap_or(text).parse().ok()
}

/// Whether a runtime, as it names itself (`openjdk version "17.0.9"`), knows a version of the language.
fn knows(runtime: Option<&str>, level: u32) -> bool {
    let Some(runtime) = runtime else { return true };
    let number = runtime.split('"').nth(1).unwrap_or(runtime);
    let number = number.strip_prefix("1.").unwrap_or(number);
    let digits: String = number.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse::<u32>().is_ok_and(|own| level <= own)
}

/// A `pom.xml` as it was, with the patch's version of the language where it is newer.
pub(super) fn merge_pom(mixed: &Mixed<'_>) -> Option<Merged> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().filter(|t| !t.trim().is_empty());
    let (mut made, asked) = (text(mixed.trusted)?, text(mixed.theirs)?);
    let (own, theirs) = (Leaf::all(&made)?, Leaf::all(&asked)?);
    let stated = own.iter().filter(|(path, leaf)| is_level(path, leaf)).filter_map(|(_, leaf)| level(&leaf.text)).max();
    let (mut edits, mut version): (Vec<(Range<usize>, String)>, Option<u32>) = (Vec::new(), None);
    for (path, leaf) in theirs.iter().filter(|(path, leaf)| is_level(path, leaf)) {
        let Some(wanted) = level(&leaf.text).filter(|wanted| knows(mixed.runtime, *wanted)) else { continue };
        let value = leaf.text.trim().to_owned();
        match own.get(path) {
            Some(old) if level(&old.text).is_some_and(|old| old < wanted) => edits.push((old.span.clone(), value)),
            // One that names no version yet goes beside the properties that are there.
            None if stated.is_none_or(|old| old <= wanted) && path.starts_with(IN_PROPERTIES) => {
                let Some(end) = made.rfind("</properties>").filter(|_| made.matches("</properties>").count() == 1)
                else {
                    continue;
                };
                let name = &path[IN_PROPERTIES.len()..].split('#').next().unwrap_or("");
                edits.push((end..end, format!("<{name}>{value}</{name}>")));
            }
            _ => continue,
        }
        version = version.max(Some(wanted));
    }
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, value) in edits {
        made.replace_range(span, &value);
    }
    let differ = differences(&theirs, &Leaf::all(&made)?);
    let unknown = |path: &&String| {
        let level = theirs.get(*path).filter(|leaf| is_level(path, leaf)).and_then(|leaf| level(&leaf.text));
        level.is_some_and(|level| !knows(mixed.runtime, level))
    };
    let (unknown, others): (BTreeSet<&String>, BTreeSet<&String>) = differ.iter().partition(unknown);
    let named = |(path, why): (&String, String)| {
        let name = names_of(&BTreeSet::from([path])).join("");
        format!("{name} {}{why}", theirs.get(path).map_or("", |leaf| leaf.text.trim()))
    };
    let mut put_back = names_of(&others);
    put_back.extend(unknown.into_iter().map(|path| named((path, mixed.why_unknown()))));
    Some(Merged { bytes: made.into_bytes(), put_back, version: version.map(|v| v.to_string()) })
}

const IN_PROPERTIES: &str = "project/properties#0/";

/// A text of an XML file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Leaf {
    text: String,
    span: Range<usize>,
    /// Whether it is within the configuration of Maven's compiler.
    of_compiler: bool,
}

impl Leaf {
    /// Every text by the path of its element, each part with its place among those of the same name.
    fn all(xml: &str) -> Option<BTreeMap<String, Leaf>> {
        let mut reader = Reader::from_str(xml);
        let mut found: BTreeMap<String, Leaf> = BTreeMap::new();
        let mut above: Vec<(String, BTreeMap<String, usize>)> = vec![(String::new(), BTreeMap::new())];
        loop {
            let start = usize::try_from(reader.buffer_position()).ok()?;
            let event = reader.read_event().ok()?;
            let end = usize::try_from(reader.buffer_position()).ok()?;
            match event {
                Event::Start(tag) | Event::Empty(tag) if above.len() > 100 => drop(tag),
                Event::Start(tag) => {
                    let path = next(&mut above, tag.name().as_ref())?;
                    above.push((path, BTreeMap::new()));
                }
                Event::Empty(tag) => {
                    let path = next(&mut above, tag.name().as_ref())?;
                    found.insert(path, Leaf { text: String::new(), span: end..end, of_compiler: false });
                }
                Event::End(_) => drop(above.pop()),
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                    let (path, _) = above.last()?;
                    let text = &xml[start..end];
                    match found.get_mut(path) {
                        Some(leaf) => leaf.text.push_str(text),
                        None if text.trim().is_empty() => {}
                        None => {
                            let leaf = Leaf { text: text.to_owned(), span: start..end, of_compiler: false };
                            found.insert(path.clone(), leaf);
                        }
                    }
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        let compilers: BTreeSet<String> = found
            .iter()
            .filter(|(path, leaf)| path.contains("/plugin#") && leaf.text.trim() == "maven-compiler-plugin")
            .filter_map(|(path, _)| Some(format!("{}/configuration#0/", path.strip_suffix("/artifactId#0")?)))
            .collect();
        for (path, leaf) in &mut found {
            leaf.of_compiler = compilers.iter().any(|c| path.starts_with(c.as_str()));
        }
        (above.len() == 1 && found.keys().all(|p| p.starts_with("project/"))).then_some(found)
    }
}

/// The path of one more element below the innermost; the root has no number.
fn next(above: &mut [(String, BTreeMap<String, usize>)], name: &str) -> Option<String> {
    let (path, seen) = above.last_mut()?;
    if path.is_empty() {
        return Some(name.to_owned());
    }
    let count = seen.entry(name.to_owned()).or_default();
    let made = format!("{path}/{name}#{count}");
    *count += 1;
    Some(made)
}

/// Whether a text of a `pom.xml` is a version of the language: a property of the project, or of its compiler.
fn is_level(path: &str, leaf: &Leaf) -> bool {
    let name = |part: &str| part.strip_suffix("#0").unwrap_or("").to_owned();
    let property = path.strip_prefix(IN_PROPERTIES).is_some_and(|p| PROPERTIES.contains(&name(p).as_str()));
    let of_build = path.starts_with("project/build#0/plugins#0/plugin#");
    let last = path.rsplit('/').next().unwrap_or("");
    let direct = path.matches('/').count() == 5;
    property || of_build && direct && leaf.of_compiler && ELEMENTS.contains(&name(last).as_str())
}

fn differences(asked: &BTreeMap<String, Leaf>, made: &BTreeMap<String, Leaf>) -> BTreeSet<String> {
    let text = |of: &BTreeMap<String, Leaf>, path: &String| of.get(path).map(|leaf| leaf.text.trim().to_owned());
    let all = asked.keys().chain(made.keys());
    all.filter(|path| text(asked, path) != text(made, path)).cloned().collect()
}

/// What paths of a `pom.xml` are called: a property by its name, everything else by the element below the project.
fn names_of(paths: &BTreeSet<&String>) -> Vec<String> {
    let bare = |part: &str| part.split('#').next().unwrap_or("").to_owned();
    let name = |path: &&String| {
        let parts: Vec<String> = path.split('/').map(bare).collect();
        match parts.get(1).map(String::as_str) {
            Some("properties") => format!("<{}>", parts.get(2).map_or("properties", String::as_str)),
            Some(part) => format!("<{part}>"),
            None => "<project>".to_owned(),
        }
    };
    paths.iter().map(name).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A `build.gradle` as it was, with the patch's version of the language where it is newer.
pub(super) fn merge_gradle(mixed: &Mixed<'_>) -> Option<Merged> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().filter(|t| !t.trim().is_empty());
    let (mut made, asked) = (text(mixed.trusted)?, text(mixed.theirs)?);
    let (own, theirs) = (levels(&made), levels(&asked));
    let mut version = None;
    // Only what stands in the same places in the same order can be told apart.
    if own.len() == theirs.len() && own.iter().zip(&theirs).all(|(a, b)| a.0 == b.0) {
        for ((_, span, old), (_, _, new)) in own.iter().zip(&theirs).rev() {
            if old < new && knows(mixed.runtime, *new) {
                let written = made[span.clone()].replace(&old.to_string(), &new.to_string());
                let written = if *old < 9 { new.to_string() } else { written };
                made.replace_range(span.clone(), &written);
                version = version.max(Some(*new));
            }
        }
    }
    let lines =
        |text: &str| text.lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect::<BTreeSet<_>>();
    let (a, b) = (lines(&asked), lines(&made));
    let gone = b.difference(&a).map(|l| format!("without the line {l}"));
    let put_back = a.difference(&b).map(|l| format!("the line {l}")).chain(gone);
    let put_back = put_back.map(|name| name.chars().take(MOST_OF_LINE).collect()).collect();
    Some(Merged { bytes: made.into_bytes(), put_back, version: version.map(|v: u32| v.to_string()) })
}

/// Where a build script names versions of the language: the word before each, its place, and the version.
fn levels(text: &str) -> Vec<(&'static str, Range<usize>, u32)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or("");
        let word = WORDS.iter().find_map(|word| Some((*word, code.find(word)? + word.len())));
        if let Some((word, from)) = word
            && let Some(digit) = code[from..].find(|c: char| c.is_ascii_digit()).map(|d| from + d)
            && code[from..digit]
                .chars()
                .all(|c| c.is_whitespace() || "=('\".".contains(c) || c.is_ascii_alphabetic() || c == '_')
        {
            let end = code[digit..]
                .find(|c: char| !(c.is_ascii_digit() || ".".contains(c)))
                .map_or(code.len(), |e| digit + e);
            let end = digit + code[digit..end].trim_end_matches('.').len();
            if let Some(level) = level(&code[digit..end]) {
                found.push((word, at + digit..at + end, level));
            }
        }
        at += line.len();
    }
    found.sort_by_key(|(_, span, _)| span.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(merge: fn(&Mixed<'_>) -> Option<Merged>, old: &str, new: &str, runtime: Option<&str>) -> Merged {
        let start: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let (trusted, theirs) = (old.as_bytes(), new.as_bytes());
        merge(&Mixed { start: &start, path: "pom.xml", trusted, theirs, runtime }).unwrap()
    }

    const POM: &str = "<?xml version=\"1.0\"?>\n<project xmlns=\"x\">\n  <!-- a -->\n  <properties>\n    \
        <maven.compiler.release>17</maven.compiler.release>\n    <skip>false</skip>\n  </properties>\n  <build><plugins>\
        <plugin><artifactId>maven-surefire-plugin</artifactId><configuration><argLine>-ea</argLine><release>1</release>\
        </configuration></plugin><plugin><artifactId>maven-compiler-plugin</artifactId><configuration><source>1.8</source>\
        <compilerArgs><source>3</source></compilerArgs></configuration></plugin></plugins></build>\n</project>\n";

    #[test]
    fn a_newer_language_of_a_pom_counts_and_everything_else_is_as_it_was() {
        let asked = POM
            .replace("release>17<", "release>21<")
            .replace("<source>1.8", "<source>11")
            .replace("-ea", "-da")
            .replace("<release>1<", "<release>9<")
            .replace("<source>3<", "<source>9<")
            .replace(">false<", ">true<");
        let made = merged(merge_pom, POM, &asked, None);
        let wanted = POM.replace("release>17<", "release>21<").replace("<source>1.8", "<source>11");
        assert_eq!(String::from_utf8(made.bytes).unwrap(), wanted);
        assert_eq!((made.put_back, made.version.as_deref()), (vec!["<build>".to_owned(), "<skip>".into()], Some("21")));
    }

    #[test]
    fn what_a_pom_asks_for_in_another_way_comes_beside_it() {
        let old = "<project><properties><maven.compiler.source>11</maven.compiler.source></properties></project>";
        let new = "<project><properties><maven.compiler.release>17</maven.compiler.release></properties></project>";
        let made = merged(merge_pom, old, new, None);
        let text = String::from_utf8(made.bytes).unwrap();
        assert!(text.contains("<maven.compiler.release>17</maven.compiler.release></properties>"), "{text}");
        assert_eq!(made.put_back, ["<maven.compiler.source>"]);
    }

    #[test]
    fn an_older_language_or_one_that_the_runtime_does_not_know_is_put_back_by_name() {
        let old = "openjdk version \"17.0.9\" 2023-10-17";
        let why = format!("<maven.compiler.release> 21, which the runtime ({old}) does not know");
        let name = "<maven.compiler.release>".to_owned();
        for (value, runtime, told) in [("11", None, &name), ("21", Some(old), &why), ("${x}", None, &name)] {
            let made = merged(merge_pom, POM, &POM.replace("release>17<", &format!("release>{value}<")), runtime);
            assert_eq!((made.bytes, made.version), (POM.as_bytes().to_vec(), None), "{value}");
            assert_eq!(made.put_back, std::slice::from_ref(told));
        }
        let start: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (trusted, theirs) in [("", POM), (POM, "<project>"), (POM, "no"), (POM, "<other><a>1</a></other>")] {
            let mixed = Mixed {
                start: &start,
                path: "pom.xml",
                trusted: trusted.as_bytes(),
                theirs: theirs.as_bytes(),
                runtime: None,
            };
            assert!(merge_pom(&mixed).is_none(), "{theirs}");
        }
    }

    #[test]
    fn a_newer_language_of_a_build_script_counts_and_other_lines_are_named() {
        let old = "plugins { id 'java' }\nsourceCompatibility = JavaVersion.VERSION_11\njava {\n  toolchain {\n    \
                   languageVersion = JavaLanguageVersion.of(11) // 8\n  }\n}\n";
        let new = old.replace("VERSION_11", "VERSION_17").replace("of(11)", "of(17)").replace("'java'", "'evil'");
        let made = merged(merge_gradle, old, &new, Some("openjdk version \"17.0.9\""));
        let text = String::from_utf8(made.bytes).unwrap();
        assert!(text.contains("VERSION_17\n") && text.contains("of(17)") && text.contains("'java'"), "{text}");
        assert_eq!(made.put_back, ["the line plugins { id 'evil' }", "without the line plugins { id 'java' }"]);
        let evil = old.replace("JavaVersion.VERSION_11", "evil(99)");
        assert!(!String::from_utf8(merged(merge_gradle, old, &evil, None).bytes).unwrap().contains("evil"));
        let made = merged(merge_gradle, "sourceCompatibility = '1.8'\n", "sourceCompatibility = '17'\n", None);
        assert_eq!(made.bytes, b"sourceCompatibility = '17'\n");
    }

    proptest::proptest! {
        #[test]
        fn no_build_file_breaks_the_search(text in "(<project>|</project>|<properties>|</properties>|sourceCompatibility|[\\n\"'<>/=#&; \u{e9}]|[a-z0-9.]{1,3}){0,40}") {
            let start: BTreeMap<String, Vec<u8>> = BTreeMap::new();
            for trusted in [POM, text.as_str()] {
                let mixed = Mixed { start: &start, path: "", trusted: trusted.as_bytes(), theirs: text.as_bytes(), runtime: None };
                merge_pom(&mixed);
                merge_gradle(&mixed);
            }
        }
    }
}
