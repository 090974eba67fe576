use super::axis::full_width;
use super::canvas::{At, Canvas};
use super::interval::empty_track;
use super::pencil::Pencil;
use super::text::width;
use super::{ChartError, Head, Label};
use crate::schema::Outcome;
use serde::{Deserialize, Serialize};

/// Every attempt as one mark, in lanes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Title and description.
    pub head: Head,
    /// The lanes from top to bottom.
    pub lanes: Vec<Lane>,
    /// Whether a key of the outcomes that occur stands above the lanes.
    pub key: bool,
    /// The words of outcomes that the key calls otherwise than [`Outcome::label`] does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(Outcome, String)>,
}

/// One lane: a model, a repository or an outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Name of the lane.
    pub name: String,
    /// What the lane holds, e.g. "72 of 240 fixed"; may be empty.
    pub count: Label,
    /// The attempts in the order in which they are drawn.
    pub marks: Vec<Mark>,
    /// Ascending positions in `marks` before which a gap is left, e.g. where the next task begins.
    pub breaks: Vec<usize>,
    /// The words on an empty lane, e.g. "not run".
    pub missing: String,
}

/// One attempt of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it is left out of the rate; drawn as an outline.
    pub excluded: bool,
}

/// A drawn field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldPicture {
    /// The picture.
    pub svg: String,
    /// How many attempts one mark stands for; 1 up to 100,000 attempts. The caption must say it where it is more.
    pub per_mark: usize,
}

/// Most marks in one picture; more attempts share marks.
pub const MOST_MARKS: usize = 100_000;
const LABELS: f64 = 190.0;
/// Lanes up to which name and count stand on two lines.
const ROOMY: usize = 24;

/// A kind of mark: an outcome, counted or excluded.
type Kind = (Outcome, bool);

/// Distances between marks, in pixels.
#[derive(Clone, Copy)]
struct Grid {
    pitch: i32,
    size: i32,
    columns: i32,
}

/// Draws every attempt as one mark, and above 100,000 one mark for several.
pub fn field(field: &Field) -> Result<FieldPicture, ChartError> {
    let total: usize = field.lanes.iter().map(|l| l.marks.len()).sum();
    let per_mark = per_mark(total);
    let grid = grid(total / per_mark);
    let kinds = kinds(field);
    let mut canvas = Canvas::new(0.0);
    let mut y = if field.key { key(&mut canvas, &kinds, &field.names) } else { 4 };
    let mut pencils: Vec<Pencil> = kinds.iter().map(|(kind, _)| Pencil::new(*kind, grid.size)).collect();
    for (pencil, (_, count)) in pencils.iter_mut().zip(&kinds) {
        pencil.reserve(count / per_mark + 1);
    }
    let roomy = field.lanes.len() <= ROOMY;
    for lane in &field.lanes {
        let shared;
        let (marks, breaks) = if per_mark == 1 {
            (&lane.marks, lane.breaks.as_slice())
        } else {
            shared = share_marks(&lane.marks, per_mark);
            (&shared, [].as_slice())
        };
        let rows = draw(marks, breaks, grid, y, &kinds, &mut pencils);
        let least = if roomy && !lane.count.text.is_empty() { 34 } else { 20 };
        name(&mut canvas, lane, f64::from(y), roomy);
        y += (rows * grid.pitch).max(least) + 8;
    }
    for (pencil, (kind, _)) in pencils.into_iter().zip(&kinds) {
        element(&mut canvas, pencil, *kind);
    }
    if field.lanes.is_empty() {
        empty_track(&mut canvas, (0.0, full_width()), f64::from(y) + 10.0, "no attempts");
        y += 28;
    }
    canvas.resize(f64::from(y));
    Ok(FieldPicture { svg: canvas.finish(&field.head)?, per_mark })
}

fn per_mark(total: usize) -> usize {
    let mut factor = 1;
    loop {
        for step in [1, 2, 5] {
            if total.div_ceil(factor * step) <= MOST_MARKS {
                return factor * step;
            }
        }
        factor *= 10;
    }
}

fn grid(marks: usize) -> Grid {
    let (pitch, size) = match marks {
        0..=3_000 => (10, 8),
        3_001..=12_000 => (7, 5),
        12_001..=50_000 => (4, 3),
        _ => (3, 2),
    };
    Grid { pitch, size, columns: 720 - 190 }
}

/// The kinds that occur and how often, in the order of outcomes.
fn kinds(field: &Field) -> Vec<(Kind, usize)> {
    let mut seen = [[0; 2]; Outcome::ALL.len()];
    for mark in field.lanes.iter().flat_map(|l| &l.marks) {
        seen[mark.outcome as usize][usize::from(mark.excluded)] += 1;
    }
    let all = Outcome::ALL.into_iter().flat_map(|o| [(o, false), (o, true)]);
    all.map(|(o, excluded)| ((o, excluded), seen[o as usize][usize::from(excluded)])).filter(|(_, n)| *n > 0).collect()
}

/// Fewer marks in the same proportions: largest remainders, and at least one for each kind that occurs.
fn share_marks(marks: &[Mark], per_mark: usize) -> Vec<Mark> {
    let mut counts: Vec<(Mark, usize)> = Vec::new();
    for mark in marks {
        match counts.iter_mut().find(|(m, _)| m == mark) {
            Some((_, n)) => *n += 1,
            None => counts.push((*mark, 1)),
        }
    }
    counts.sort_by_key(|(m, _)| (m.outcome, m.excluded));
    let whole: usize = counts.iter().map(|(_, n)| n / per_mark).sum();
    let mut spare = marks.len().div_ceil(per_mark).saturating_sub(whole);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|i| (counts[*i].1 >= per_mark, std::cmp::Reverse(counts[*i].1 % per_mark), *i));
    let mut drawn: Vec<usize> = counts.iter().map(|(_, n)| n / per_mark).collect();
    for i in order {
        if drawn[i] == 0 {
            drawn[i] = 1;
            spare = spare.saturating_sub(1);
        } else if spare > 0 && !counts[i].1.is_multiple_of(per_mark) {
            drawn[i] += 1;
            spare -= 1;
        }
    }
    counts.iter().zip(drawn).flat_map(|((mark, _), n)| std::iter::repeat_n(*mark, n)).collect()
}

/// Adds the marks of a lane to the paths of their kinds; the number of rows they take.
fn draw(
    marks: &[Mark],
    breaks: &[usize],
    grid: Grid,
    top: i32,
    kinds: &[(Kind, usize)],
    pencils: &mut [Pencil],
) -> i32 {
    let mut slots = [[0_usize; 2]; Outcome::ALL.len()];
    for (slot, ((outcome, excluded), _)) in kinds.iter().enumerate() {
        slots[*outcome as usize][usize::from(*excluded)] = slot;
    }
    let gap = (grid.pitch / 2).max(2);
    let mut breaks = breaks.iter().copied().peekable();
    let (mut x, mut row) = (0, 0);
    for (at, mark) in marks.iter().enumerate() {
        while breaks.next_if(|b| *b <= at).is_some_and(|b| b == at && at > 0) {
            x += if x > 0 { gap } else { 0 };
        }
        if x + grid.size > grid.columns {
            (x, row) = (0, row + 1);
        }
        let slot = slots[mark.outcome as usize][usize::from(mark.excluded)];
        pencils[slot].mark(190 + x, top + row * grid.pitch);
        x += grid.pitch;
    }
    if marks.is_empty() { 0 } else { row + 1 }
}

fn name(canvas: &mut Canvas, lane: &Lane, y: f64, roomy: bool) {
    let count = width(&lane.count.text, 12.0);
    if roomy {
        canvas.name((0.0, y + 7.0), At::Start, 13.0, "name", &lane.name, LABELS - 14.0);
        canvas.label((0.0, y + 24.0), At::Start, 12.0, "muted", &lane.count);
    } else {
        let room = (LABELS - 22.0 - count).max(60.0);
        canvas.name((0.0, y + 7.0), At::Start, 12.0, "name", &lane.name, room);
        canvas.label((LABELS - 10.0, y + 7.0), At::End, 12.0, "muted", &lane.count);
    }
    if lane.marks.is_empty() {
        let words = if lane.missing.is_empty() { "no attempts" } else { &lane.missing };
        empty_track(canvas, (LABELS, full_width()), y + 8.0, words);
    }
}

fn element(canvas: &mut Canvas, pencil: Pencil, (outcome, excluded): Kind) {
    let class = if excluded { " excluded" } else { "" };
    canvas.raw(&format!("<path class=\"mark o-{}{class}\" d=\"", outcome.word()));
    canvas.raw(&pencil.path());
    canvas.raw("\"/>");
}

/// What each mark means; the height that the key takes.
fn key(canvas: &mut Canvas, kinds: &[(Kind, usize)], names: &[(Outcome, String)]) -> i32 {
    let (mut x, mut y) = (0, 4);
    for (kind, _) in kinds {
        let label = names.iter().find(|(outcome, _)| *outcome == kind.0).map_or(kind.0.label(), |(_, name)| name);
        let words = format!("{label}{}", if kind.1 { " (not counted)" } else { "" });
        let room = width(&words, 12.0).ceil() as i32 + 30;
        if x > 0 && x + room > 720 {
            (x, y) = (0, y + 20);
        }
        let mut sample = Pencil::new(*kind, 8);
        sample.mark(x, y);
        element(canvas, sample, *kind);
        canvas.words((f64::from(x + 13), f64::from(y + 4)), At::Start, "muted", &words);
        x += room;
    }
    y + 26
}
