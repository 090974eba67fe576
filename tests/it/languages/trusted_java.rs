//! What the build of a tree in Java names, and the services that a patch must not declare.

use super::{all_dropped, dropped, none_dropped, tree};
use tsbench::languages::{Plan, by_name};

fn plan(files: &[(&str, &str)]) -> Plan {
    by_name("java").unwrap().detect(&tree(files), None, None).unwrap()
}

#[test]
fn a_build_that_is_included_for_its_plugins_is_protected_and_a_part_of_the_product_is_not() {
    let plan = plan(&[
        ("gradlew", ""),
        (
            "settings.gradle.kts",
            "pluginManagement {\n  includeBuild(\"build-logic\")\n}\nincludeBuild(\n  \"conventions\"\n)\nincludeBuild 'engine'\nincludeBuild(file(\"$rootDir/more/plugins\"))\n",
        ),
        (
            "build.gradle",
            "apply from: \"$rootDir/ci/shared.groovy\"\nfrom(files('deps/libs.toml'))\nsourceSets { test { java { srcDir 'checks/functionalTest' } } }\nfrom 'README.md'\n",
        ),
        ("build-logic/src/main/java/Logic.java", ""),
        ("conventions/build.gradle.kts", "plugins { `kotlin-dsl` }"),
        ("engine/build.gradle", "plugins { id 'java' }"),
        ("engine/src/main/java/a/Engine.java", ""),
        ("more/plugins/build.gradle", "plugins { id 'java-gradle-plugin' }"),
        ("ci/shared.groovy", ""),
        ("deps/libs.toml", ""),
        ("checks/functionalTest/a/Helper.java", ""),
        ("README.md", ""),
    ]);
    all_dropped(
        &plan,
        &[
            "build-logic/src/main/java/Logic.java",
            "conventions/src/main/kotlin/a.kt",
            "more/plugins/src/main/java/New.java",
            "ci/shared.groovy",
            "deps/libs.toml",
            "checks/functionalTest/a/Helper.java",
        ],
    );
    none_dropped(&plan, &["engine/src/main/java/a/Engine.java", "README.md", "src/main/java/a/B.java"]);
}

#[test]
fn files_that_a_pom_names_are_protected_with_modules_that_others_are_built_with() {
    let root = "<project><parent><artifactId>p</artifactId><relativePath>conf/parent.xml</relativePath></parent><artifactId>root</artifactId>\
        <build><sourceDirectory>src</sourceDirectory><testSourceDirectory>${project.basedir}/checks</testSourceDirectory>\
        <testResources><testResource><directory>check-data</directory></testResource></testResources>\
        <plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration><argLine>-Xmx1g @${basedir}/jvm.args -Da=conf/log.properties</argLine>\
        <suiteXmlFiles><suiteXmlFile>conf/suite.xml</suiteXmlFile></suiteXmlFiles><excludesFile>conf/skip.txt</excludesFile>\
        <artifactItem><artifactId>core</artifactId></artifactItem></configuration>\
        <dependencies><dependency><artifactId>rules</artifactId></dependency></dependencies></plugin></plugins></build>\
        <profiles><profile><activation><file><exists>.fast</exists></file></activation></profile></profiles></project>";
    let module = |name: &str| {
        format!("<project><parent><artifactId>root</artifactId></parent><artifactId>{name}</artifactId></project>")
    };
    let plan = plan(&[
        ("pom.xml", root),
        ("conf/parent.xml", ""),
        ("conf/suite.xml", ""),
        ("conf/skip.txt", ""),
        ("conf/log.properties", ""),
        ("jvm.args", ""),
        ("checks/a/Helper.java", ""),
        ("check-data/a.csv", ""),
        ("rules/pom.xml", &module("rules")),
        ("core/pom.xml", &module("core")),
    ]);
    all_dropped(
        &plan,
        &[
            "conf/parent.xml",
            "conf/suite.xml",
            "conf/skip.txt",
            "conf/log.properties",
            "jvm.args",
            ".fast",
            "checks/a/Helper.java",
            "check-data/a.csv",
            "rules/src/main/java/a/Rule.java",
            "pom-fast.xml",
        ],
    );
    none_dropped(&plan, &["core/src/main/java/a/B.java", "src/a/B.java", "src/main/java/a/B.java", "conf/other.xml"]);
}

#[test]
fn services_of_the_jvm_and_of_test_platforms_are_not_a_patchs_to_declare_and_those_of_the_project_are() {
    let at = |name: &str| format!("src/main/resources/META-INF/services/{name}");
    let of = |files: &[(&str, &str)]| plan(&[&[("pom.xml", "")], files].concat());
    let bare = of(&[]);
    for name in [
        "org.junit.jupiter.api.extension.Extension",
        "org.opentest4j.x",
        "org.hamcrest.X",
        "org.spockframework.runtime.extension.IGlobalExtension",
        "org.codehaus.groovy.transform.ASTTransformation",
        "com.sun.source.util.Plugin",
        "java.lang.System$LoggerFinder",
        "java.nio.file.spi.FileSystemProvider",
        "java.time.zone.ZoneRulesProvider",
        "java.util.spi.LocaleServiceProvider",
        "java.net.spi.InetAddressResolverProvider",
        "javax.xml.parsers.SAXParserFactory",
        "org.slf4j.spi.SLF4JServiceProvider",
    ] {
        assert!(dropped(&bare, &at(name)), "{name}");
    }
    for name in
        ["org.example.Codec", "java.sql.Driver", "javax.script.ScriptEngineFactory", "jakarta.json.spi.JsonProvider"]
    {
        assert!(!dropped(&bare, &at(name)), "{name}");
    }
    let file = at("java.nio.file.spi.FileSystemProvider");
    let provider = of(&[(&file, "org.example.Fs")]);
    assert!(!dropped(&provider, &file) && dropped(&provider, &at("java.time.zone.ZoneRulesProvider")));
    let spock = of(&[("src/main/java/org/spockframework/A.java", "")]);
    assert!(!dropped(&spock, &at("org.spockframework.runtime.extension.IGlobalExtension")));
}

#[test]
fn a_module_of_java_that_provides_a_service_of_the_platform_stands_before_it() {
    let java = by_name("java").unwrap();
    let plan = plan(&[("pom.xml", "")]);
    let path = "src/main/java/module-info.java";
    let evil = b"module a { provides org.junit.platform.launcher.LauncherSessionListener with a.B; }";
    assert!(java.stands_before(&plan, path, evil));
    assert!(!java.stands_before(&plan, path, b"module a { exports a; provides a.Codec with a.B; }"));
}
