//! Services that a JVM, a compiler or a test platform loads of its own accord, and where code declares them.

use super::Files;
use super::java_shadow::tokens_of;

/// Beginnings of the names of services of compilers, of test platforms and of what starts them: none of them is a
/// project's to declare, unless it is the project that defines them.
const OF_TESTS: [&str; 29] = [
    "org.junit",
    "javax.annotation.processing",
    "org.mockito",
    "org.assertj",
    "org.testng",
    "org.apache.maven",
    "org.codehaus.plexus",
    "org.gradle",
    "org.opentest4j",
    "org.hamcrest",
    "org.spockframework",
    "org.jboss.arquillian",
    "org.awaitility",
    "org.easymock",
    "org.powermock",
    "org.xmlunit",
    "org.wiremock",
    "com.github.tomakehurst.wiremock",
    "com.google.common.truth",
    "com.sun.source",
    "com.sun.tools",
    "com.tngtech.archunit",
    "io.cucumber",
    "io.kotest",
    "io.mockk",
    "io.qameta.allure",
    "net.bytebuddy",
    "net.jqwik",
    "org.springframework.test",
];

/// Those of the JVM, of logging and of languages, which a library may well provide: one that does so already may go on.
const OF_THE_JVM: [&str; 19] = [
    "java.lang",
    "java.util.spi",
    "java.util.random",
    "java.util.concurrent",
    "java.text.spi",
    "java.time",
    "java.net",
    "java.nio",
    "javax.management",
    "javax.naming",
    "javax.tools",
    "javax.xml",
    "org.slf4j",
    "org.apache.logging.log4j",
    "org.apache.commons.logging",
    "ch.qos.logback",
    "org.codehaus.groovy",
    "org.apache.groovy",
    "org.jetbrains.kotlin",
];

/// Beginnings of the names of services that a patch must not declare for this tree.
pub(super) fn foreign(tree: &dyn Files) -> Vec<String> {
    let paths = tree.paths();
    let defines = |name: &str| {
        let below = format!("/{}/", name.replace('.', "/"));
        paths.iter().any(|p| p.contains("src/main/") && p.contains(&below))
    };
    let declares = |name: &str| {
        let file = |p: &str| p.rsplit_once("META-INF/services/").is_some_and(|(_, file)| starts(file, name));
        paths.iter().any(|p| file(p)) || modules(tree, &paths).any(|text| provides(&text, name))
    };
    let of_tests = OF_TESTS.iter().filter(|n| !defines(n));
    of_tests.chain(OF_THE_JVM.iter().filter(|n| !declares(n))).map(|n| (*n).to_owned()).collect()
}

/// Globs of the files that declare such services.
pub(super) fn globs(foreign: &[String]) -> Vec<String> {
    let names = foreign.join(",");
    vec![
        format!("**/META-INF/services/{{{names}}}*"),
        // Methods that Groovy adds to every class.
        "**/META-INF/groovy/org.codehaus.groovy.runtime.ExtensionModule".into(),
    ]
}

/// Whether a file declares such a service in another way: as a module, or to Spring's tests.
pub(super) fn declared(foreign: &[String], path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    let text = String::from_utf8_lossy(bytes);
    match name {
        "module-info.java" => foreign.iter().any(|f| provides(&text, f)),
        "spring.factories" => {
            // A backslash may stand before any character, also at the end of a line within a name.
            let flat: String = super::java_shadow::unescaped(&text).replace('\\', "");
            let flat: String = flat.split_whitespace().collect();
            foreign.iter().any(|f| f == "org.springframework.test")
                && ["org.springframework.test.", "org.springframework.boot.test."].iter().any(|n| flat.contains(n))
        }
        _ => false,
    }
}

fn modules<'a>(tree: &'a dyn Files, paths: &'a [String]) -> impl Iterator<Item = String> + 'a {
    paths.iter().filter(|p| p.ends_with("src/main/java/module-info.java")).filter_map(|p| tree.text(p))
}

/// Whether the source of a module provides a service whose name begins so.
fn provides(text: &str, name: &str) -> bool {
    let tokens = tokens_of(text);
    tokens.iter().enumerate().filter(|(_, t)| *t == "provides").any(|(at, _)| {
        let service: String =
            tokens[at + 1..].iter().take_while(|t| *t != "with" && *t != ";").map(String::as_str).collect();
        starts(&service, name)
    })
}

fn starts(service: &str, name: &str) -> bool {
    service.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_provides_a_service_of_the_platform_is_found_and_one_of_its_own_is_not() {
        let all = foreign(&std::collections::BTreeMap::new());
        for text in [
            "module a { provides org.junit.platform.launcher.LauncherSessionListener with a.B; }",
            "module a { exports a; provides /* x */ org . junit\n.platform.X with a.B; }",
            "module a { provides java.lang.System.LoggerFinder with a.B; }",
            "module a { provides org.j\\u0075nit.X with a.B; }",
        ] {
            assert!(declared(&all, "src/main/java/module-info.java", text.as_bytes()), "{text}");
        }
        for text in [
            "module a { provides a.spi.Codec with a.B; uses org.junit.X; }",
            "module a { provides java.sql.Driver with a.B; /* provides org.junit.X with a.B; */ }",
        ] {
            assert!(!declared(&all, "src/main/java/module-info.java", text.as_bytes()), "{text}");
        }
        let spring = |text: &str| declared(&all, "src/main/resources/META-INF/spring.factories", text.as_bytes());
        assert!(spring("org.springframework.te\\\n  st.context.TestExecutionListener=a.B"));
        assert!(!spring("org.springframework.boot.autoconfigure.EnableAutoConfiguration=a.B"));
    }
}
