//! The five diagrams of the page about architecture, described in words; where boxes and arrows stand is the
//! drawing's business.

use super::error::SiteError;
use super::text::escape;
use crate::charts::{Direction, Edge, Flow, Head, Node, flow};
use std::collections::BTreeMap;

/// A diagram in words.
struct Words {
    id: &'static str,
    title: &'static str,
    /// What a reader who cannot see it is told; also the caption.
    says: &'static str,
    direction: Direction,
    /// Layer, id, name, what it does, and an extra class.
    nodes: &'static [(usize, &'static str, &'static str, &'static str, &'static str)],
    /// From, to, and what passes.
    edges: &'static [(&'static str, &'static str, &'static str)],
}

const LAYERS: Words = Words {
    id: "layers",
    title: "The layers from task to page",
    says: "Data moves one way: tasks are attempted, patches are scored, lines are appended to results, and pages are \
           made from results alone.",
    direction: Direction::Down,
    nodes: &[
        (0, "tasks", "Tasks", "versioned suites, each task proved by the gate", ""),
        (1, "attempts", "Attempts", "an agent drives a model in a sealed sandbox", ""),
        (2, "scoring", "Scoring", "hidden tests in a second, fresh sandbox", ""),
        (3, "results", "Results", "raw lines, appended and never edited", "strong"),
        (4, "site", "Site", "pages, numbers and downloads; no network", ""),
    ],
    edges: &[
        ("tasks", "attempts", "statement and image"),
        ("attempts", "scoring", "patch"),
        ("scoring", "results", "verdict"),
        ("results", "site", "raw lines"),
    ],
};

const FLOW_TASKS: Words = Words {
    id: "flow_tasks",
    title: "How a merged change becomes a task",
    says: "A merged change is split into hidden tests and the original fix; the gate admits it to a suite or rejects \
           it with a reason.",
    direction: Direction::Down,
    nodes: &[
        (0, "change", "Merged change", "closes an issue, touches code and tests", ""),
        (1, "statement", "Statement", "the issue, cut before the fix", ""),
        (1, "tests", "Hidden tests", "the part that touches tests", ""),
        (1, "gold", "Gold patch", "the rest of the change", ""),
        (2, "gate", "Gate", "gold must pass, empty must fail", "strong"),
        (3, "suite", "Suite", "a versioned set of tasks", ""),
        (3, "rejected", "Rejected", "with a recorded reason", "muted"),
    ],
    edges: &[
        ("change", "statement", ""),
        ("change", "tests", ""),
        ("change", "gold", ""),
        ("statement", "gate", ""),
        ("tests", "gate", ""),
        ("gold", "gate", ""),
        ("gate", "suite", "both proofs hold"),
        ("gate", "rejected", "a proof fails"),
    ],
};

const FLOW_ATTEMPTS: Words = Words {
    id: "flow_attempts",
    title: "One attempt, from the locked plan to its line",
    says: "The agent calls the model from outside the sandbox and runs the commands inside it; the patch is scored in \
           another sandbox, and one line is appended.",
    direction: Direction::Down,
    nodes: &[
        (0, "plan", "Run plan", "locked before the first attempt", ""),
        (1, "model", "Model", "called from outside the sandbox", ""),
        (1, "agent", "Agent", "sends the statement, runs what comes back", "strong"),
        (1, "sandbox", "Sandbox", "fresh, from the task's image, no network", ""),
        (2, "patch", "Patch", "the difference to the first commit", ""),
        (3, "scoring", "Scoring", "in another sandbox", ""),
        (4, "line", "Raw line", "appended and synced at once", ""),
    ],
    edges: &[
        ("plan", "agent", "task and limits"),
        ("model", "agent", "replies"),
        ("agent", "sandbox", "commands"),
        ("sandbox", "patch", "changed files"),
        ("patch", "scoring", ""),
        ("scoring", "line", "verdict"),
    ],
};

const GATE: Words = Words {
    id: "gate",
    title: "The two proofs of the gate",
    says: "With the original fix everything must pass, and without a change a target must fail. Both proofs are \
           repeated, and a test that disagrees with itself is dropped.",
    direction: Direction::Down,
    nodes: &[
        (0, "candidate", "Candidate", "repository, commit, tests, gold patch", ""),
        (1, "gold", "Gold proof", "with the fix: targets and guards pass", ""),
        (1, "empty", "Empty proof", "without a change: a target fails, guards pass", ""),
        (2, "repeat", "Repeat both", "drop tests that disagree with themselves", ""),
        (3, "accepted", "Accepted", "its proof is kept with it", "strong"),
        (3, "rejected", "Rejected", "with a recorded reason", "muted"),
    ],
    edges: &[
        ("candidate", "gold", ""),
        ("candidate", "empty", ""),
        ("gold", "repeat", ""),
        ("empty", "repeat", ""),
        ("repeat", "accepted", "both hold"),
        ("repeat", "rejected", "one fails"),
    ],
};

const SCORING: Words = Words {
    id: "scoring",
    title: "The order of scoring",
    says: "The patch goes first, protected files are restored second, and hidden tests are written last, so that a \
           patch cannot change what judges it.",
    direction: Direction::Down,
    nodes: &[
        (0, "fresh", "Fresh sandbox", "the task's starting tree", ""),
        (1, "patch", "Apply the patch", "as bytes, whole or not at all", ""),
        (2, "restore", "Restore protected files", "tests, runner settings, build scripts", ""),
        (3, "hidden", "Write hidden tests", "last, over whatever is there", ""),
        (4, "run", "Run the suite", "report at a path that cannot be guessed", "strong"),
        (5, "verdict", "Verdict", "a missing test fails", ""),
        (5, "infra", "Not gradeable", "no tests, or a fault of the harness", "muted"),
    ],
    edges: &[
        ("fresh", "patch", ""),
        ("patch", "restore", ""),
        ("restore", "hidden", ""),
        ("hidden", "run", ""),
        ("run", "verdict", "report is sound"),
        ("run", "infra", "no sound report"),
    ],
};

/// The diagrams as HTML, each a figure on one line, by the name that content quotes.
pub fn diagrams() -> Result<BTreeMap<String, String>, SiteError> {
    [&LAYERS, &FLOW_TASKS, &FLOW_ATTEMPTS, &GATE, &SCORING].into_iter().map(figure).collect()
}

fn figure(words: &Words) -> Result<(String, String), SiteError> {
    let text = |t: &str| t.to_owned();
    let head = Head { id: format!("diagram-{}", words.id), title: text(words.title), desc: text(words.says) };
    let node = |&(layer, id, label, note, class): &(usize, &str, &str, &str, &str)| Node {
        id: text(id),
        label: text(label),
        note: text(note),
        layer,
        class: text(class),
    };
    let edge = |&(from, to, label): &(&str, &str, &str)| Edge { from: text(from), to: text(to), label: text(label) };
    let plan = Flow {
        head,
        direction: words.direction,
        layers: Vec::new(),
        nodes: words.nodes.iter().map(node).collect(),
        edges: words.edges.iter().map(edge).collect(),
    };
    let svg = flow(&plan).map_err(|e| SiteError::Draw(words.id.to_owned(), e.to_string()))?;
    // Inside Markdown, a line end could end the block of HTML.
    let svg = svg.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let html = format!(
        "<figure class=\"diagram\" id=\"{}-diagram\"><div class=\"chart-scroll\" role=\"region\" tabindex=\"0\" \
         aria-label=\"{}\">{svg}</div><figcaption>{}</figcaption></figure>",
        words.id,
        escape(words.title),
        escape(words.says)
    );
    Ok((words.id.to_owned(), html))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_diagram_that_content_quotes_is_drawn() {
        let page = include_str!("../../content/architecture.md");
        let quoted: Vec<&str> = page.split("figure(\"").skip(1).filter_map(|t| t.split('"').next()).collect();
        let mut drawn: Vec<String> = diagrams().unwrap().into_keys().collect();
        drawn.sort_by_key(|id| quoted.iter().position(|q| q == id));
        assert_eq!(drawn, quoted);
    }

    #[test]
    fn a_diagram_is_one_line_and_shows_every_word_of_its_description() {
        for (id, html) in diagrams().unwrap() {
            assert!(!html.contains('\n') && html.starts_with("<figure class=\"diagram\""), "{id}");
            assert!(!html.contains("style=") && !html.contains("<script"), "{id}");
        }
        for words in [&LAYERS, &FLOW_TASKS, &FLOW_ATTEMPTS, &GATE, &SCORING] {
            let (_, html) = figure(words).unwrap();
            for (_, _, label, _, _) in words.nodes {
                assert!(label.split(' ').all(|word| html.contains(word)), "{label}");
            }
            for (from, to, _) in words.edges {
                let is_node = |id: &str| words.nodes.iter().any(|n| n.1 == id);
                assert!(is_node(from) && is_node(to), "{from} -> {to}");
            }
            assert_eq!(html.matches("class=\"arrow\"").count(), words.edges.len(), "{}", words.id);
        }
    }

    #[test]
    fn no_text_of_a_diagram_has_a_digit() {
        for words in [&LAYERS, &FLOW_TASKS, &FLOW_ATTEMPTS, &GATE, &SCORING] {
            let texts = words.nodes.iter().flat_map(|n| [n.2, n.3]).chain(words.edges.iter().map(|e| e.2));
            assert!(texts.chain([words.title, words.says]).all(|t| !t.contains(|c: char| c.is_ascii_digit())));
        }
    }
}
