//! What the data cannot say, found by rules over the data.

use super::entries::{full_name, id, ordered, whole};
use super::origins;
use crate::results::slug;
use crate::site::board::{Board, Entry};
use crate::site::numbers::{Numbers, groups};
use crate::site::text::name;

/// Fewer attempts than this make a wide range: the sentence is shown.
const FEW_ATTEMPTS: u64 = 30;
/// A larger share of left-out attempts is said.
const LARGE_SHARE: f64 = 0.05;
/// With fewer repositories nothing is said about others.
const FEW_REPOS: f64 = 6.0;

/// The sentences, as HTML, the most important first.
pub fn limits(b: &Board<'_>, numbers: &Numbers) -> Vec<String> {
    let mut out = Vec::new();
    let entries = ordered(b, numbers);
    let with_data: Vec<&Entry> = entries.iter().copied().filter(|e| e.totals.attempts > 0).collect();
    if with_data.is_empty() {
        out.push("No agent has been evaluated yet: there is nothing to compare.".to_owned());
        return out;
    }
    let d = |e: &Entry, stat: &str| numbers.data(&id(b, e, stat));
    few(b, &with_data, &d, &mut out);
    one_repository(b, &with_data, numbers, &mut out);
    partial(b, &entries, &d, &mut out);
    zeros(b, &with_data, numbers, &mut out);
    separable(b, &with_data, numbers, &mut out);
    cutoffs(b, &with_data, numbers, &mut out);
    excluded(b, &with_data, numbers, &mut out);
    repeats(b, &with_data, &d, &mut out);
    repositories(b, numbers, &mut out);
    origins::made_up(b, &with_data, &mut out);
    origins::graders(b, numbers, &mut out);
    origins::differing_runs(b, &mut out);
    origins::imported(b, numbers, &mut out);
    out
}

type Data<'f> = dyn Fn(&Entry, &str) -> String + 'f;

pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A number with the word for what it counts.
pub(super) fn count(numbers: &Numbers, id: &str, one: &str, many: &str) -> String {
    of(&numbers.data(id), numbers.value(id).unwrap_or(0.0), one, many)
}

fn of(data: &str, value: f64, one: &str, many: &str) -> String {
    format!("{data} {}", if value == 1.0 { one } else { many })
}

pub(super) fn named(b: &Board<'_>, entries: &[&Entry]) -> String {
    const SHOWN: usize = 5;
    let mut names: Vec<String> = entries.iter().take(SHOWN).map(|e| name(&full_name(b, e))).collect();
    if entries.len() > SHOWN {
        names.push("others".to_owned());
    }
    list(&names)
}

fn few(b: &Board<'_>, entries: &[&Entry], d: &Data<'_>, out: &mut Vec<String>) {
    for e in entries.iter().filter(|e| e.totals.attempts < FEW_ATTEMPTS).take(5) {
        out.push(format!(
            "<strong>Few attempts.</strong> {} rests on {}: its rate at these tasks could be anything from {} to {}.",
            name(&full_name(b, e)),
            of(&d(e, "attempts"), e.totals.attempts as f64, "attempt", "attempts"),
            d(e, "wilson_lo"),
            d(e, "wilson_hi")
        ));
    }
}

fn one_repository(b: &Board<'_>, entries: &[&Entry], numbers: &Numbers, out: &mut Vec<String>) {
    for e in entries.iter().filter(|e| e.fixed() >= 2).take(5) {
        for repo in groups(b, "repo").keys() {
            let fixed = id(b, e, &format!("repo.{}.fixed", slug(repo)));
            if numbers.value(&fixed).unwrap_or(0.0) * 2.0 > e.fixed() as f64 && groups(b, "repo").len() > 1 {
                out.push(format!(
                    "<strong>One repository carries the score.</strong> {} of the {} {} of {} are in {}.",
                    numbers.data(&fixed),
                    numbers.data(&id(b, e, "fixed")),
                    b.config.wording().nouns(),
                    name(&full_name(b, e)),
                    name(repo)
                ));
            }
        }
    }
}

fn partial(b: &Board<'_>, entries: &[&Entry], d: &Data<'_>, out: &mut Vec<String>) {
    for e in entries.iter().filter(|e| e.totals.attempts > 0 && e.cells.iter().any(|c| c.n == 0)).take(5) {
        out.push(format!(
            "<strong>Tasks not covered.</strong> {} was run on {} of {} tasks; what it would do at the others is unknown.",
            name(&full_name(b, e)),
            d(e, "tasks_covered"),
            d(e, "tasks_total")
        ));
    }
    let unrun: Vec<&Entry> = entries.iter().copied().filter(|e| e.totals.lines == 0).collect();
    if !unrun.is_empty() {
        let verb = if unrun.len() == 1 {
            "was planned and never run: it has no score, which is not a score of zero."
        } else {
            "were planned and never run: they have no score, which is not a score of zero."
        };
        out.push(format!("<strong>Not run.</strong> {} {verb}", named(b, &unrun)));
    }
}

fn zeros(b: &Board<'_>, entries: &[&Entry], numbers: &Numbers, out: &mut Vec<String>) {
    let zero: Vec<&Entry> = entries.iter().copied().filter(|e| e.fixed() == 0).collect();
    if let [first, _, ..] = zero.as_slice() {
        out.push(format!(
            "<strong>Zero is tied.</strong> {} {} nothing. That does not order them, and it does not show that they cannot: for tasks like these up to {} stays possible ({}).",
            named(b, &zero),
            b.config.wording().verb,
            numbers.data(&id(b, first, "taw_hi")),
            name(&full_name(b, first))
        ));
    }
}

fn separable(b: &Board<'_>, entries: &[&Entry], numbers: &Numbers, out: &mut Vec<String>) {
    let [first, second, ..] = entries else { return };
    let (x, y) = if first.key < second.key { (first, second) } else { (second, first) };
    let pair = |stat: &str| format!("pair.{}.{}.{}.{stat}", b.config.id, x.key, y.key);
    match numbers.value(&pair("p_holm")) {
        Some(p) if p > 0.05 => {
            let gap = numbers.value(&pair("mde")).map_or_else(String::new, |_| {
                format!(
                    " The smallest gap that their {} could show is {}.",
                    count(numbers, &pair("matched_tasks"), "common task", "common tasks"),
                    numbers.data(&pair("mde"))
                )
            });
            out.push(format!(
                "<strong>First and second are not separated.</strong> {} and {}: adjusted p\u{a0}=\u{a0}{}.{gap}",
                name(&full_name(b, first)),
                name(&full_name(b, second)),
                numbers.data(&pair("p_holm"))
            ));
        }
        Some(_) => {}
        None => out.push(format!(
            "<strong>Not comparable.</strong> {} and {} share no task.",
            name(&full_name(b, first)),
            name(&full_name(b, second))
        )),
    }
}

fn cutoffs(b: &Board<'_>, entries: &[&Entry], numbers: &Numbers, out: &mut Vec<String>) {
    let unknown: Vec<&Entry> = entries.iter().copied().filter(|e| e.model.cutoff.is_none()).collect();
    if !unknown.is_empty() && b.tasks.iter().any(|t| t.merged_at.is_some()) {
        let whose = if unknown.len() == 1 { "its" } else { "their" };
        out.push(format!("<strong>Training data.</strong> No knowledge cutoff is recorded for {}: whether a human fix was in {whose} training data cannot be told.", named(b, &unknown)));
    }
    for e in entries.iter().filter(|e| numbers.value(&id(b, e, "cutoff_tasks")).is_some_and(|n| n > 0.0)).take(5) {
        out.push(format!(
            "<strong>Training data.</strong> {} of the {} tasks that {} was run on were merged before its knowledge cutoff or within <code>90</code> days after it: their fixes may have been in its training data.",
            numbers.data(&id(b, e, "cutoff_tasks")),
            numbers.data(&id(b, e, "tasks_covered")),
            name(&full_name(b, e))
        ));
    }
}

fn excluded(b: &Board<'_>, entries: &[&Entry], numbers: &Numbers, out: &mut Vec<String>) {
    for e in
        entries.iter().filter(|e| numbers.value(&id(b, e, "excluded_share")).is_some_and(|s| s > LARGE_SHARE)).take(5)
    {
        out.push(format!(
            "<strong>Many attempts left out.</strong> {} of {}’s attempts are infrastructure faults or were stopped. If all of them had failed, its rate would be {}; if all had succeeded, {}.",
            numbers.data(&id(b, e, "excluded_share")),
            name(&full_name(b, e)),
            numbers.data(&id(b, e, "worst_rate")),
            numbers.data(&id(b, e, "best_rate"))
        ));
    }
    if numbers.value(&whole(b, "limit_hits")).is_some_and(|n| n > 0.0) {
        out.push(format!("<strong>Limits.</strong> {} ran into a limit of turns, time or cost and might have ended otherwise with more of it.", count(numbers, &whole(b, "limit_hits"), "attempt", "attempts")));
    }
    if numbers.value(&whole(b, "cost_unknown")).is_some_and(|n| n > 0.0) {
        out.push(format!(
            "<strong>Cost unknown.</strong> {} in no cost figure.",
            count(
                numbers,
                &whole(b, "cost_unknown"),
                "attempt does not say what it cost and is",
                "attempts do not say what they cost and are"
            )
        ));
    }
}

fn repeats(b: &Board<'_>, entries: &[&Entry], d: &Data<'_>, out: &mut Vec<String>) {
    let repeated = |e: &&&Entry| e.cells.iter().filter(|c| c.n > 0).all(|c| c.n >= 2);
    if let Some(e) = entries.iter().filter(repeated).max_by_key(|e| e.totals.attempts) {
        out.push(format!(
            "<strong>Repeats are not new tasks.</strong> The {} attempts of {} at {} carry the information of {} independent tasks.",
            d(e, "attempts"),
            name(&full_name(b, e)),
            of(&d(e, "tasks_covered"), e.counts().len() as f64, "task", "tasks"),
            d(e, "n_eff")
        ));
    }
}

fn repositories(b: &Board<'_>, numbers: &Numbers, out: &mut Vec<String>) {
    let repos = numbers.value(&whole(b, "repos")).unwrap_or(0.0);
    if repos > 0.0 && repos < FEW_REPOS {
        out.push(format!(
            "<strong>Too few repositories.</strong> The tasks come from {}; that is too few to generalise to others.",
            count(numbers, &whole(b, "repos"), "repository", "repositories")
        ));
    }
}
