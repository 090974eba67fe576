//! What machines read of a site: feed, sitemap, robots, headers, citation.

use super::config::{Config, ReleaseConfig};
use super::text::escape;
use std::fmt::Write;

/// The headers of every answer; one policy, stated once, because a host joins repeated headers.
pub const HEADERS: &str = "/*
  Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()
  Referrer-Policy: strict-origin-when-cross-origin
  X-Content-Type-Options: nosniff
/assets/*
  ! Cache-Control
  Cache-Control: public, max-age=31536000, immutable
/data/*
  Access-Control-Allow-Origin: *
/data/artifacts/*
  Content-Type: text/plain; charset=utf-8
/data/raw/*.jsonl
  Content-Type: application/x-ndjson; charset=utf-8
/*.jsonl
  X-Robots-Tag: noindex
";

/// An Atom feed: one entry a release, newest first, and one for the site as it is.
pub fn atom(config: &Config, as_of: &str, data_sha256: &str) -> String {
    let home = if config.base_url.is_empty() { "urn:tsbench:site".to_owned() } else { format!("{}/", config.base_url) };
    let author = if config.author.is_empty() { &config.title } else { &config.author };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n<id>{}</id>\n<updated>{as_of}</updated>\n<author><name>{}</name></author>\n",
        escape(&config.title),
        escape(&home),
        escape(author)
    );
    if !config.base_url.is_empty() {
        let _ = writeln!(
            out,
            "<link href=\"{0}/\"/>\n<link rel=\"self\" href=\"{0}/feed.xml\"/>",
            escape(&config.base_url)
        );
    }
    let mut entry = |id: &str, title: &str, updated: &str, page: &str, text: &str| {
        let _ = writeln!(
            out,
            "<entry>\n<title>{}</title>\n<id>urn:tsbench:{}</id>\n<updated>{updated}</updated>",
            escape(title),
            escape(id)
        );
        if !config.base_url.is_empty() {
            let _ = writeln!(out, "<link href=\"{}/{page}\"/>", escape(&config.base_url));
        }
        let _ = writeln!(out, "<content type=\"text\">{}</content>\n</entry>", escape(text));
    };
    for ReleaseConfig { version, until, note } in config.releases.iter().rev() {
        entry(
            &format!("release:{version}"),
            &format!("Release {version}"),
            &format!("{until}T00:00:00Z"),
            "releases",
            note,
        );
    }
    entry(
        &format!("data:{data_sha256}"),
        "The data as published now",
        as_of,
        "data",
        &format!("Digest of the raw files: {data_sha256}"),
    );
    out.push_str("</feed>\n");
    out
}

/// A sitemap of pages; addresses are absolute where the site has one, else they begin at the root.
pub fn sitemap(base_url: &str, pages: &[String], as_of: &str) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for page in pages {
        let _ = writeln!(
            out,
            "<url><loc>{}/{}</loc><lastmod>{}</lastmod></url>",
            escape(base_url),
            escape(&address(page)),
            as_of.get(..10).unwrap_or(as_of)
        );
    }
    out.push_str("</urlset>\n");
    out
}

/// The address of a file of the site, as a host serves it: without `.html`, and a folder's index as the folder.
pub fn address(path: &str) -> String {
    let short = path.strip_suffix(".html").unwrap_or(path);
    short.strip_suffix("index").filter(|p| p.is_empty() || p.ends_with('/')).unwrap_or(short).to_owned()
}

/// `robots.txt`.
pub fn robots(base_url: &str) -> String {
    let mut out = String::from("User-agent: *\nAllow: /\n");
    if !base_url.is_empty() {
        let _ = writeln!(out, "\nSitemap: {base_url}/sitemap.xml");
    }
    out
}

/// `CITATION.cff`, with the digest of the data.
pub fn citation(config: &Config, as_of: &str, data_sha256: &str) -> String {
    let author = if config.author.is_empty() { &config.title } else { &config.author };
    let day = as_of.get(..10).unwrap_or(as_of);
    let quote = |t: &str| format!("\"{}\"", t.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = format!(
        "cff-version: 1.2.0\nmessage: \"Please cite the data by their digest.\"\ntype: dataset\ntitle: {}\nauthors:\n  - name: {}\nversion: {}\ndate-released: {day}\nidentifiers:\n  - type: other\n    value: \"sha256:{data_sha256}\"\n    description: \"Digest of the raw files\"\n",
        quote(&config.title),
        quote(author),
        quote(day)
    );
    if !config.base_url.is_empty() {
        let _ = writeln!(out, "url: {}", quote(&config.base_url));
    }
    out
}

/// The letters and digits of a title, small, as BibTeX takes them in a key.
fn citation_key(title: &str) -> String {
    let key: String = title.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    if key.is_empty() { "leaderboard".to_owned() } else { key }
}

/// The same for BibTeX.
pub fn bibtex(config: &Config, as_of: &str, data_sha256: &str) -> String {
    let author = if config.author.is_empty() { &config.title } else { &config.author };
    let year = as_of.get(..4).unwrap_or("");
    let plain = |t: &str| t.replace(['{', '}', '\\'], "");
    let url = if config.base_url.is_empty() { String::new() } else { format!("  url = {{{}}},\n", config.base_url) };
    format!(
        "@misc{{{}{year},\n  title = {{{{{}}}}},\n  author = {{{{{}}}}},\n  year = {{{year}}},\n  note = {{Data as of {}, sha256:{data_sha256}}},\n{url}}}\n",
        citation_key(&config.title),
        plain(&config.title),
        plain(author),
        as_of.get(..10).unwrap_or(as_of)
    )
}
