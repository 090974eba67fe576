//! A patch as text: its files and hunks, with the lines that they stand in.
//!
//! Models count badly, write around a patch, and cut it. What a hunk holds is read from its lines where its header is
//! wrong about them; what could be read in two ways is told apart, and what cannot be read is refused with its line.

/// A place in a patch that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// Counted from 1.
    pub line: usize,
    pub why: String,
}

/// One hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    /// The line of its header.
    pub line: usize,
    /// Where it begins in the old file, as its header says.
    pub old: usize,
    /// What stands behind the numbers of its header.
    pub title: &'a [u8],
    /// Its lines, each with its end as far as it has one.
    pub body: Vec<&'a [u8]>,
}

/// What a patch says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section<'a> {
    /// The line that it begins in.
    pub line: usize,
    /// Everything before its hunks, as it stands there.
    pub head: Vec<&'a [u8]>,
    pub hunks: Vec<Hunk<'a>>,
    /// The line that says that binary files differ, where no bytes follow.
    pub without_bytes: Option<usize>,
}

/// A patch, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PatchText<'a> {
    pub sections: Vec<Section<'a>>,
    /// Whether lines of changes follow where a header says that its hunk has ended: they may be a part of it or not.
    pub excess: bool,
    /// Whether a header of a file stands among the lines that the counts of a hunk take in: it may be lines of that hunk.
    pub swallowed: bool,
}

struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
    text: PatchText<'a>,
    headers_first: bool,
}

/// Reads a patch. With `headers_first` what looks like the header of a file is one, whatever the counts before it say.
pub(super) fn read(patch: &[u8], headers_first: bool) -> Result<PatchText<'_>, Unreadable> {
    let lines = patch.split_inclusive(|b| *b == b'\n').collect();
    let mut reader = Reader { lines, at: 0, text: PatchText::default(), headers_first };
    while reader.at < reader.lines.len() {
        if !reader.section() {
            if reader.line(reader.at).starts_with(b"@@ -") {
                return Err(unreadable(reader.at, "a hunk stands here without the header of its file (--- and +++)"));
            }
            reader.at += 1;
            continue;
        }
        while let Some(at) = reader.next_hunk() {
            reader.at = at;
            reader.hunk()?;
        }
    }
    Ok(reader.text)
}

/// What a patch says of the file that a line, counted from 1, is about, without its hunks; and the patch without it.
pub(super) fn cut(patch: &[u8], line: usize) -> Option<(Section<'_>, Vec<u8>)> {
    let lines = patch.split_inclusive(|b| *b == b'\n').collect();
    let mut reader = Reader { lines, at: 0, text: PatchText::default(), headers_first: true };
    let count = reader.lines.len();
    let header = (0..line.min(count)).rev().find(|at| reader.header(*at))?;
    let above = (0..header).rev().find(|at| !EXTENDED.iter().any(|e| reader.starts(*at, e)));
    let begin = above.filter(|at| reader.starts(*at, "diff --git ")).unwrap_or(header);
    let end = (line..count).find(|at| reader.header(*at)).unwrap_or(count);
    let rest = [reader.lines[..begin].concat(), reader.lines[end..].concat()].concat();
    reader.at = begin;
    reader.section();
    Some((reader.text.sections.pop()?, rest))
}

fn unreadable(at: usize, why: &str) -> Unreadable {
    Unreadable { line: at + 1, why: why.to_owned() }
}

const EXTENDED: [&str; 13] = [
    "old mode ",
    "new mode ",
    "deleted file mode ",
    "new file mode ",
    "copy from ",
    "copy to ",
    "rename from ",
    "rename to ",
    "rename old ",
    "rename new ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
];

impl<'a> Reader<'a> {
    /// A line without its end; nothing behind the last.
    fn line(&self, at: usize) -> &'a [u8] {
        trimmed(self.lines.get(at).copied().unwrap_or(b""))
    }

    fn starts(&self, at: usize, with: &str) -> bool {
        self.lines.get(at).is_some_and(|l| l.starts_with(with.as_bytes()))
    }

    /// Whether the names of a file stand here.
    fn names(&self, at: usize) -> bool {
        self.starts(at, "--- ") && self.starts(at + 1, "+++ ")
    }

    /// Whether the header of a file stands here. Removed and added lines may look like its names, so that a hunk follows.
    fn header(&self, at: usize) -> bool {
        self.starts(at, "diff --git ") || self.names(at) && self.starts(at + 2, "@@ ")
    }

    /// Takes the header of a file, if one stands here.
    fn section(&mut self) -> bool {
        if !self.header(self.at) {
            return false;
        }
        let begin = self.at;
        let mut section = Section { line: begin + 1, ..Section::default() };
        if self.starts(self.at, "diff --git ") {
            self.at += 1;
            while EXTENDED.iter().any(|e| self.starts(self.at, e)) {
                self.at += 1;
            }
        }
        let line = self.line(self.at);
        if line.starts_with(b"Binary files ") && line.ends_with(b" differ") {
            section.without_bytes = Some(self.at + 1);
            section.head = self.lines[begin..self.at].to_vec();
            self.at += 1;
        } else {
            if self.starts(self.at, "GIT binary patch") {
                while self.at < self.lines.len() && !self.starts(self.at, "diff --git ") && !self.ends_patch(self.at) {
                    self.at += 1;
                }
            } else if self.names(self.at) {
                self.at += 2;
            }
            section.head = self.lines[begin..self.at].to_vec();
        }
        self.text.sections.push(section);
        true
    }

    /// The header of a hunk here or behind empty lines.
    fn next_hunk(&self) -> Option<usize> {
        let at = (self.at..self.lines.len()).find(|i| !self.line(*i).is_empty())?;
        self.starts(at, "@@").then_some(at)
    }

    /// Whether the patch ends before this line: by a fence, or by the signature that mail ends with.
    fn ends_patch(&self, at: usize) -> bool {
        let version = |line: &[u8]| line.first().is_some_and(u8::is_ascii_digit) && line.contains(&b'.');
        self.starts(at, "```")
            || matches!(self.line(at), b"-- " | b"--") && version(self.line(at + 1))
            || self.starts(at, "From ") && self.line(at).len() > 45
    }

    fn hunk(&mut self) -> Result<(), Unreadable> {
        let head = self.at;
        let Some((old, counts, title)) = numbers(self.line(head)) else {
            return Err(unreadable(
                head,
                "the header of the hunk has no line numbers: @@ -first,lines +first,lines @@",
            ));
        };
        let counted = self.by_counts(head + 1, counts);
        let (end, stop) = self.by_lines(head + 1);
        let swallowed = counted.is_some_and(|counted| stop < counted);
        self.text.swallowed |= swallowed;
        let end = match counted {
            Some(_) if swallowed && self.headers_first => end,
            Some(counted) if end <= counted => counted,
            Some(_) => {
                self.text.excess = true;
                end
            }
            None => {
                self.ends_well(stop)?;
                end
            }
        };
        let body = self.lines[head + 1..end].to_vec();
        if let Some(section) = self.text.sections.last_mut() {
            section.hunks.push(Hunk { line: head + 1, old, title, body });
        }
        self.at = end;
        Ok(())
    }

    /// Where a hunk ends by the counts of its header, if its lines are so many.
    fn by_counts(&self, begin: usize, (mut old, mut new): (usize, usize)) -> Option<usize> {
        let mut at = begin;
        while old > 0 || new > 0 {
            let (o, n) = match kind(self.lines.get(at)?) {
                Kind::Context => (1, 1),
                Kind::Removed => (1, 0),
                Kind::Added => (0, 1),
                Kind::Mark => (0, 0),
                Kind::Other => return None,
            };
            (old, new) = (old.checked_sub(o)?, new.checked_sub(n)?);
            at += 1;
        }
        Some(if self.starts(at, "\\") { at + 1 } else { at })
    }

    /// Where a hunk ends by its lines, without empty ones at its end, and where its lines stop.
    fn by_lines(&self, begin: usize) -> (usize, usize) {
        let goes_on = |i: &usize| kind(self.lines[*i]) != Kind::Other && !self.header(*i) && !self.ends_patch(*i);
        let stop = (begin..self.lines.len()).find(|i| !goes_on(i)).unwrap_or(self.lines.len());
        let end = (begin..stop).rev().find(|i| !self.line(*i).is_empty()).map_or(begin, |last| last + 1);
        (end, stop)
    }

    /// Refuses a hunk of wrong counts that a line stops which is none of a patch, if changes follow that would be lost.
    fn ends_well(&self, stop: usize) -> Result<(), Unreadable> {
        let over =
            |i: &usize| *i >= self.lines.len() || self.header(*i) || self.ends_patch(*i) || self.starts(*i, "@@");
        let rest = (stop..).take_while(|i| !over(i));
        match rest.into_iter().any(|i| self.lines[i].starts_with(b"+") || self.lines[i].starts_with(b"-")) {
            true => Err(unreadable(
                stop,
                "the line is neither context nor a change of the hunk above it, which is not at its end",
            )),
            false => Ok(()),
        }
    }
}

/// What a line of a hunk is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Context,
    Removed,
    Added,
    /// `\ No newline at end of file`.
    Mark,
    Other,
}

/// What a line is within a hunk. Whole empty ones are context whose blank was cut.
pub(super) fn kind(line: &[u8]) -> Kind {
    match line.first() {
        Some(b' ') => Kind::Context,
        Some(b'-') => Kind::Removed,
        Some(b'+') => Kind::Added,
        Some(b'\\') => Kind::Mark,
        _ if trimmed(line).is_empty() => Kind::Context,
        _ => Kind::Other,
    }
}

/// A line without its end.
pub(super) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The first line, the counts of old and new lines, and the title of `@@ -1,2 +1,3 @@ title`.
fn numbers(line: &[u8]) -> Option<(usize, (usize, usize), &[u8])> {
    let rest = line.strip_prefix(b"@@ -")?;
    let end = rest.windows(3).position(|w| w == b" @@")?;
    let text = std::str::from_utf8(&rest[..end]).ok()?;
    let (old, new) = text.split_once(" +")?;
    let range = |text: &str| {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((first.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let (old, new) = (range(old)?, range(new)?);
    Some((old.0, (old.1, new.1), &rest[end + 3..]))
}

impl Section<'_> {
    /// The path of its file before the patch, without so many folders.
    pub fn old_path(&self, level: usize) -> Option<String> {
        self.names().iter().find(|n| n.before).and_then(|n| n.at_level(level).map(str::to_owned))
    }

    /// The names of its file, before and after, as the patch writes them; with whether they have a prefix.
    pub fn names(&self) -> Vec<Name> {
        let of = |start: &str| self.head.iter().find_map(|l| trimmed(l).strip_prefix(start.as_bytes()));
        let named = |start: &str, before, prefix| of(start).map(|n| Name { path: unquoted(n), before, prefix });
        let renamed: Vec<Name> =
            [("rename from ", true), ("rename to ", false), ("copy from ", true), ("copy to ", false)]
                .into_iter()
                .filter_map(|(start, before)| named(start, before, false))
                .collect();
        if !renamed.is_empty() {
            return renamed;
        }
        let mut found: Vec<Name> = [("--- ", true), ("+++ ", false)]
            .into_iter()
            .filter_map(|(start, before)| named(start, before, true))
            .filter(|n| n.path != "/dev/null")
            .collect();
        if found.is_empty()
            && let Some((old, new)) = of("diff --git ").and_then(both)
        {
            let is_new = of("new file mode ").is_some();
            found = [(old, true), (new, false)]
                .map(|(path, before)| Name { path, before: before && !is_new, prefix: true })
                .to_vec();
        }
        found
    }
}

/// A name of a file in a patch.
#[derive(Clone)]
pub(super) struct Name {
    pub path: String,
    /// Whether it is one of before the patch.
    pub before: bool,
    /// Whether it is written with a folder such as `a/` before it.
    pub prefix: bool,
}

impl Name {
    /// The path without so many folders.
    pub fn at_level(&self, level: usize) -> Option<&str> {
        let count = if self.prefix { level } else { level.saturating_sub(1) };
        (0..count).try_fold(self.path.as_str(), |rest, _| rest.split_once('/').map(|(_, rest)| rest))
    }
}

/// The two names of `diff --git a/name b/name`, which differ in nothing but the prefix where blanks are in them.
fn both(text: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(("", rest)) = text.split_once('"') {
        let (_, second) = rest.split_once("\" ")?;
        return Some((unquoted(text.as_bytes()), unquoted(second.as_bytes())));
    }
    let tail = |name: &str| name.split_once('/').map(|(_, rest)| rest.to_owned());
    let cuts = text.match_indices(' ').map(|(at, _)| (&text[..at], &text[at + 1..]));
    cuts.into_iter()
        .find(|(a, b)| a == b || tail(a).is_some() && tail(a) == tail(b))
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
}

/// A name without the time behind it and without the quotes that git writes around odd ones.
fn unquoted(text: &[u8]) -> String {
    let text = text.split(|b| *b == b'\t').next().unwrap_or(text);
    let Some(inner) = text.strip_prefix(b"\"") else { return String::from_utf8_lossy(text).into_owned() };
    let mut bytes = Vec::new();
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next().filter(|b| *b != b'"') {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        match escaped {
            None => bytes.push(byte),
            Some(first @ b'0'..=b'3') => {
                let digits = [first, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                bytes.push(digits.iter().fold(0_u8, |all, d| all.wrapping_mul(8).wrapping_add(d.wrapping_sub(b'0'))));
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(other) => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
