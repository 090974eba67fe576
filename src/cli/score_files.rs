//! The files that scoring predictions writes: nothing of anybody else's is touched.

use crate::results::is_swe_bench_report;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// How each line of ours begins.
pub const LINE_START: &[u8] = b"{\"schema\":\"tsbench.prediction/";

/// Finds out before the work that what is written takes the place of nothing but its own earlier form.
pub fn check(predictions: &Path, out: Option<&Path>, report: Option<&Path>) -> anyhow::Result<()> {
    let all = [("--predictions", Some(predictions)), ("--out", out), ("--report", report)];
    let named: Vec<(&str, &Path)> = all.into_iter().filter_map(|(flag, path)| Some((flag, path?))).collect();
    for (i, (flag, path)) in named.iter().enumerate() {
        if let Some((other, _)) = named[..i].iter().find(|(_, p)| same_file(p, path)) {
            bail!(
                "score predictions: {flag} and {other} are one file, {}\nhint: name another file with {flag}",
                path.display()
            );
        }
    }
    if let Some(path) = out {
        lines_are_ours(path)?;
    }
    report.map_or(Ok(()), report_is_ours)
}

/// Whether two paths lead to one file, by whatever names and links; a file that is not there yet has its folder's place.
fn same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    if let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b)) {
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    let place = |path: &Path| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = std::fs::canonicalize(folder).ok().or_else(|| std::path::absolute(folder).ok())?;
        Some(folder.join(path.file_name()?))
    };
    // A link that leads nowhere yet is the file that it names.
    let end = |path: &Path| match std::fs::read_link(path) {
        Ok(target) => place(&path.parent().unwrap_or(Path::new("")).join(target)),
        Err(_) => place(path),
    };
    end(a).is_some_and(|a| end(b) == Some(a))
}

/// What is there, or nothing; an error for what is no file.
fn there(path: &Path, flag: &str) -> anyhow::Result<Option<Vec<u8>>> {
    match std::fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Ok(meta) if !meta.is_file() => bail!("write {}: it is no file\nhint: name a file with {flag}", path.display()),
        _ => Ok(Some(std::fs::read(path).with_context(|| format!("read {}", path.display()))?)),
    }
}

fn lines_are_ours(path: &Path) -> anyhow::Result<()> {
    let bytes = there(path, "--out")?.unwrap_or_default();
    let ours = |line: &[u8]| line.starts_with(LINE_START) || LINE_START.starts_with(line);
    let mut lines = bytes.split(|b| *b == b'\n').enumerate();
    if let Some((i, _)) = lines.find(|(_, line)| !ours(line)) {
        bail!(
            "append to {} line {}: it is no line of scored predictions\nhint: the file is left as it is; name another one with --out",
            path.display(),
            i + 1
        );
    }
    Ok(())
}

fn report_is_ours(path: &Path) -> anyhow::Result<()> {
    let Some(bytes) = there(path, "--report")?.filter(|bytes| !bytes.is_empty()) else { return Ok(()) };
    if !is_swe_bench_report(&bytes) {
        bail!(
            "write the report {}: what is there is no report of ours\nhint: the file is left as it is; name another one with --report",
            path.display()
        );
    }
    Ok(())
}

/// Writes the report in one step, so that an interruption leaves the old one or the new one.
pub fn write_report(path: &Path, text: &str) -> anyhow::Result<()> {
    let writing = || format!("write {}", path.display());
    // A link stays a link to the file that it names.
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    let mut part = tempfile::Builder::new().permissions(open).tempfile_in(folder).with_context(writing)?;
    std::io::Write::write_all(&mut part, text.as_bytes()).with_context(writing)?;
    part.persist(&place).map_err(|e| e.error).with_context(writing)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, text: &str, check: fn(&Path) -> anyhow::Result<()>) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let end = check(&path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        end.err().map(|e| e.to_string())
    }

    #[test]
    fn only_a_file_that_begins_like_ours_is_gone_on_with() {
        let start = String::from_utf8(LINE_START.to_vec()).unwrap();
        for text in ["", "{\"sch", &format!("{start}1\"}}\n{{\"s"), &format!("{start}1\"}}\n")] {
            assert_eq!(refused("o", text, lines_are_ours), None, "{text:?}");
        }
        for text in ["precious", "{\"schema\":\"other\"}", "\n\nx", &format!("{start}1\"}}\nprecious")] {
            assert!(refused("o", text, lines_are_ours).unwrap().contains("left as it is"), "{text:?}");
        }
    }

    #[test]
    fn only_a_report_of_ours_is_replaced() {
        let report = crate::results::swe_bench_report(&["a".to_owned()], &[], &[]);
        for text in [String::new(), format!("{report:#}\n")] {
            assert_eq!(refused("r", &text, report_is_ours), None, "{text:?}");
        }
        for text in ["precious".to_owned(), "{}".to_owned(), report.to_string(), "{\"schema_version\": 2}".to_owned()] {
            assert!(refused("r", &text, report_is_ours).unwrap().contains("no report of ours"), "{text:?}");
        }
    }

    #[test]
    fn one_file_under_two_names_is_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link, hard) = (dir.path().join("p"), dir.path().join("l"), dir.path().join("h"));
        std::fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink("p", &link).unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        let (new, again) = (dir.path().join("new"), dir.path().join(".").join("new"));
        for (a, b, same) in [
            (&file, &file, true),
            (&file, &link, true),
            (&file, &hard, true),
            (&new, &again, true),
            (&file, &new, false),
        ] {
            assert_eq!(check(a, Some(b), None).is_err(), same, "{a:?} {b:?}");
        }
        assert!(check(&file, Some(&new), Some(&again)).unwrap_err().to_string().contains("--report and --out are one"));
    }
}
