use super::seal::hex;
use super::{Key, Seal};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Checks a folder of reports that our launcher script closed, and says how the runner in it ended.
///
/// The file `seal` has a line `exit <code>`, one line `<sha256>  <name>` a file, and `code <hex>` over the lines before
/// it. A file that is missing, differs or is not listed breaks the seal.
pub fn open_parcel(files: &[(String, Vec<u8>)], key: &Key) -> (Seal, Option<i32>) {
    let Some((_, seal)) = files.iter().find(|(name, _)| name == "seal") else { return (Seal::Open, None) };
    let text = String::from_utf8_lossy(seal);
    let Some((before, code)) = text.trim_end_matches('\n').rsplit_once('\n').map(|(b, c)| (format!("{b}\n"), c)) else {
        return (Seal::Broken("the closing file is cut".into()), None);
    };
    if code.strip_prefix("code ") != Some(key.enclose(&before).as_str()) {
        return (Seal::Broken("the closing file's code does not agree with it".into()), None);
    }
    let mut lines = before.lines();
    let exit = lines.next().and_then(|l| l.strip_prefix("exit ")).and_then(|e| e.parse().ok());
    let listed: BTreeMap<&str, &str> =
        lines.filter_map(|l| l.split_once("  ")).map(|(sum, name)| (name, sum)).collect();
    for (name, bytes) in files.iter().filter(|(name, _)| name != "seal") {
        if listed.get(name.as_str()) != Some(&hex(&Sha256::digest(bytes)).as_str()) {
            return (Seal::Broken("a file of the report is not as the launcher saw it".into()), exit);
        }
    }
    if listed.len() + 1 != files.len() {
        return (Seal::Broken("a file of the report is missing".into()), exit);
    }
    match exit {
        Some(_) => (Seal::Whole, exit),
        None => (Seal::Broken("the closing file has no exit code".into()), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parcel(key: &Key) -> Vec<(String, Vec<u8>)> {
        let text = format!("exit 1\n{}  a.xml\n", hex(&Sha256::digest(b"<a/>")));
        let seal = format!("{text}code {}\n", key.enclose(&text));
        vec![("a.xml".into(), b"<a/>".to_vec()), ("seal".into(), seal.into_bytes())]
    }

    #[test]
    fn a_parcel_is_whole_only_as_it_was_closed() {
        let key = Key::new([1; 32]);
        assert_eq!(open_parcel(&parcel(&key), &key), (Seal::Whole, Some(1)));
        assert_eq!(open_parcel(&parcel(&key)[..1], &key), (Seal::Open, None));
        for change in [
            |p: &mut Vec<(String, Vec<u8>)>| p[0].1 = b"<b/>".to_vec(),
            |p: &mut Vec<(String, Vec<u8>)>| p.push(("b.xml".into(), Vec::new())),
            |p: &mut Vec<(String, Vec<u8>)>| drop(p.remove(0)),
            |p: &mut Vec<(String, Vec<u8>)>| p[1].1[5] = b'0',
            |p: &mut Vec<(String, Vec<u8>)>| p[1].1 = b"exit 0\n".to_vec(),
        ] {
            let mut files = parcel(&key);
            change(&mut files);
            assert!(matches!(open_parcel(&files, &key).0, Seal::Broken(_)));
        }
        assert!(matches!(open_parcel(&parcel(&key), &Key::new([2; 32])).0, Seal::Broken(_)));
    }
}
