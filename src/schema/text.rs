/// Why bytes are no text that JSON can be read from, and what to do; with the line where it begins.
pub fn no_text(bytes: &[u8]) -> Option<(String, &'static str)> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Some(("line 1: it starts with a byte-order mark".into(), "save it as UTF-8 without a byte-order mark"));
    }
    let end = std::str::from_utf8(bytes).err()?.valid_up_to();
    let line = bytes[..end].iter().filter(|b| **b == b'\n').count() + 1;
    let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |i| i + 1);
    Some((format!("line {line}: it is not UTF-8 from byte {} of the line on", end - start + 1), "save it as UTF-8"))
}
