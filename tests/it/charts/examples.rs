//! One small example of each chart, close to what the site shows.

use tsbench::charts::*;
use tsbench::schema::Outcome;

pub fn head(id: &str) -> Head {
    Head { id: id.into(), title: format!("Example of {id}"), desc: "The same data stands in the table below.".into() }
}

fn percent(id: &str, value: f64) -> Label {
    Label::number(format!("{:.1}%", value * 100.0), format!("board.example.{id}.rate"), value)
}

fn range(lo: f64, hi: f64) -> Option<Range> {
    Some(Range { lo, hi })
}

const MODELS: [(&str, f64, f64); 6] = [
    ("Opus 5.2", 0.61, 0.05),
    ("Sonnet 5", 0.58, 0.05),
    ("Qwen3 Coder 480B", 0.43, 0.06),
    ("Haiku 4.5", 0.30, 0.06),
    ("gpt-oss-120b (low effort), quantised to four bits", 0.22, 0.07),
    ("SmolLM2 135M", 0.0, 0.02),
];

pub fn interval() -> IntervalPlot {
    let row = |(at, (name, rate, half)): (usize, (&str, f64, f64))| IntervalRow {
        name: name.into(),
        estimate: Some(rate),
        ranges: [1.0, 1.8, 2.6].map(|w| range((rate - half * w).max(0.0), rate + half * w)).to_vec(),
        value: percent(&format!("m{at}"), rate),
        note: Label::words(["rank 1–2", "rank 1–2", "rank 3", "rank 4–5", "rank 4–5", "rank 6"][at]),
        group: Some([0, 0, 1, 2, 2, 3][at]),
        missing: String::new(),
    };
    let mut rows: Vec<IntervalRow> = MODELS.into_iter().enumerate().map(row).collect();
    rows.push(IntervalRow {
        name: "Gemini 3 Pro".into(),
        group: Some(4),
        missing: "planned, not run yet".into(),
        ..IntervalRow::default()
    });
    IntervalPlot {
        head: head("interval"),
        axis: "attempts that fixed the bug".into(),
        range_names: ["these tasks", "tasks like these", "repositories like these"].map(String::from).to_vec(),
        zoom: false,
        rows,
    }
}

pub fn curve() -> CurvePlot {
    let mut series = Vec::new();
    for (slot, (name, rate, half)) in MODELS.into_iter().enumerate() {
        for kind in [CurveKind::AtLeastOnce, CurveKind::EveryTime] {
            if slot > 2 && kind == CurveKind::EveryTime {
                continue;
            }
            let value = |k: u32| match kind {
                CurveKind::AtLeastOnce => rate + (1.0 - rate) * 0.55 * rate.sqrt() * (1.0 - 0.6_f64.powi(k as i32 - 1)),
                CurveKind::EveryTime => rate * (0.55 + 0.45 * 0.6_f64.powi(k as i32 - 1)),
            };
            let points =
                (1..=5).map(|k| CurvePoint { k, rate: Some(value(k)), band: range(value(k) - half, value(k) + half) });
            series.push(Curve {
                name: name.into(),
                kind,
                highlight: (slot < 4).then_some(slot as u8),
                value: percent(&format!("m{slot}.{kind:?}"), value(5)),
                points: points.collect(),
            });
        }
    }
    CurvePlot { head: head("curve"), x_axis: "attempts allowed, k".into(), y_axis: "tasks fixed".into(), series }
}

pub fn field_of(per_lane: usize) -> Field {
    let lane = |(at, (name, rate, _)): (usize, (&str, f64, f64))| {
        let mark = |i: usize| {
            let draw = (i * 7919 + at * 104_729) % 1000;
            let outcome = match draw as f64 / 1000.0 {
                x if x < rate => Outcome::Resolved,
                x if x < rate + 0.24 => Outcome::Unresolved,
                x if x < rate + 0.29 => Outcome::NoPatch,
                x if x < rate + 0.31 => Outcome::PatchFailed,
                x if x < rate + 0.36 => Outcome::TimedOut,
                x if x < rate + 0.38 => Outcome::InfraError,
                x if x < rate + 0.39 => Outcome::Stopped,
                _ => Outcome::Unresolved,
            };
            Mark { outcome, excluded: matches!(outcome, Outcome::InfraError | Outcome::Stopped) }
        };
        let marks: Vec<Mark> = (0..per_lane).map(mark).collect();
        let fixed = marks.iter().filter(|m| m.outcome == Outcome::Resolved).count();
        Lane {
            name: name.into(),
            count: Label::number(
                format!("{fixed} of {per_lane} fixed"),
                format!("board.example.m{at}.fixed"),
                fixed as f64,
            ),
            marks,
            breaks: (0..per_lane).step_by(5).collect(),
            missing: String::new(),
        }
    };
    let mut lanes: Vec<Lane> = MODELS.into_iter().enumerate().map(lane).collect();
    lanes.push(Lane { name: "Gemini 3 Pro".into(), missing: "planned, not run yet".into(), ..Lane::default() });
    Field { head: head("field"), lanes, key: true, names: Vec::new() }
}

pub fn scatter_plot() -> ScatterPlot {
    let costs =
        [Cost::Known(1.42), Cost::Known(0.61), Cost::Known(0.083), Cost::Known(0.117), Cost::Unknown, Cost::Free];
    let point = |(at, (name, rate, half)): (usize, (&str, f64, f64))| ScatterPoint {
        name: name.into(),
        cost: costs[at],
        rate: Some(rate),
        interval: range((rate - half).max(0.0), rate + half),
        value: percent(&format!("m{at}"), rate),
    };
    let mut points: Vec<ScatterPoint> = MODELS.into_iter().enumerate().map(point).collect();
    for (name, cost, rate) in [
        ("Mistral Medium 4", 0.21, 0.36),
        ("DeepSeek V4", 0.19, 0.41),
        ("Llama 5 local", 0.0, 0.12),
        ("Grok 5", 0.9, 0.49),
    ] {
        points.push(ScatterPoint {
            name: name.into(),
            cost: Cost::Known(cost),
            rate: Some(rate),
            interval: range(rate - 0.06, rate + 0.06),
            value: percent(name, rate),
        });
    }
    points.push(ScatterPoint { name: "Gemini 3 Pro".into(), ..ScatterPoint::default() });
    ScatterPlot {
        head: head("scatter"),
        x_axis: "cost of an attempt".into(),
        y_axis: "attempts that fixed the bug".into(),
        points,
    }
}

pub fn step_plot() -> StepPlot {
    let line = |(slot, (name, rate, _)): (usize, (&str, f64, f64))| StepSeries {
        name: name.into(),
        highlight: (slot < 5).then_some(slot as u8),
        rises: (1..=14)
            .map(|i| (f64::from(i * i) * 0.13 + slot as f64 * 0.3, rate * (1.0 - 0.75_f64.powi(i))))
            .filter(|_| rate > 0.0)
            .collect(),
        until: 30.0,
        value: percent(&format!("m{slot}.fixed_by"), rate * 0.98),
    };
    let series = MODELS.into_iter().enumerate().map(line).collect();
    StepPlot {
        head: head("steps"),
        x_axis: "minutes of the agent".into(),
        y_axis: "attempts fixed by then".into(),
        series,
    }
}

pub fn month_plot() -> MonthPlot {
    let rates = [Some(0.62), Some(0.58), Some(0.5), Some(0.55), None, Some(0.44), Some(0.31), Some(0.38), Some(0.29)];
    let months = ["2025-11", "2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-06", "2026-07", "2026-08"];
    let month = |(month, rate): (&str, Option<f64>)| Month {
        month: month.into(),
        rate,
        interval: rate.and_then(|r: f64| range((r - 0.16).max(0.0), r + 0.16)),
        value: rate.map(|r| percent(month, r)).unwrap_or_default(),
        basis: Label::number("4 tasks", format!("board.example.{month}.tasks_total"), 4.0),
    };
    MonthPlot {
        head: head("months"),
        y_axis: "attempts that fixed the bug".into(),
        months: months.into_iter().zip(rates).map(month).collect(),
        rule: Some(MonthRule { at: "2026-03-31".into(), text: "training cutoff of Haiku 4.5".into() }),
    }
}

pub fn slope_plot() -> SlopePlot {
    let estimate = |at: usize, rate: f64, half: f64| {
        Some(Estimate {
            rate,
            interval: range((rate - half).max(0.0), rate + half),
            value: percent(&format!("m{at}"), rate),
        })
    };
    let row = |(at, (name, rate, half)): (usize, (&str, f64, f64))| SlopeRow {
        name: name.into(),
        old: (at != 2).then(|| estimate(at, (rate * 0.8 + 0.02).min(1.0), half * 1.6)).flatten(),
        new: (at != 4).then(|| estimate(at, rate, half)).flatten(),
        change: if matches!(at, 2 | 4) {
            Label::default()
        } else {
            Label::number(
                format!("{:+.1} points", (rate * 0.2 - 0.02) * 100.0),
                format!("m{at}.delta"),
                rate * 0.2 - 0.02,
            )
        },
    };
    SlopePlot {
        head: head("slope"),
        axis: "attempts that fixed the bug".into(),
        old_name: "release 0.1".into(),
        new_name: "release 0.2".into(),
        zoom: true,
        rows: MODELS.into_iter().enumerate().map(row).collect(),
    }
}

fn node(id: &str, label: &str, note: &str, layer: usize) -> Node {
    Node { id: id.into(), label: label.into(), note: note.into(), layer, class: String::new() }
}

fn edge((from, to, label): (&str, &str, &str)) -> Edge {
    Edge { from: from.into(), to: to.into(), label: label.into() }
}

pub fn layers() -> Flow {
    let mut nodes = vec![
        node("tasks", "Tasks", "real fixes, proven by the gate", 0),
        node("models", "Models", "paid and local", 0),
        node("agent", "Agent", "prompt, command, repeat", 1),
        node("sandbox", "Sandbox", "sealed container without a network", 1),
        node("scoring", "Scoring", "hidden tests in a second container", 2),
        node("raw", "Raw lines", "append-only, with digests", 3),
        node("stats", "Statistics", "pure and seeded", 4),
        node("site", "Site", "every number with its id", 4),
        node("reader", "Reader", "recomputes any number", 4),
    ];
    nodes[5].class = "strong".into();
    let edges = [
        ("tasks", "agent", "task"),
        ("models", "agent", "replies"),
        ("agent", "sandbox", "commands"),
        ("tasks", "sandbox", ""),
        ("agent", "scoring", "patch"),
        ("tasks", "scoring", "tests"),
        ("scoring", "raw", "verdict"),
        ("raw", "stats", "counts"),
        ("stats", "site", ""),
        ("raw", "reader", "the same files"),
    ];
    let layers = ["What is asked", "Attempt", "Verdict", "Record", "What is shown"].map(String::from).to_vec();
    Flow { head: head("layers"), direction: Direction::Down, layers, nodes, edges: edges.map(edge).to_vec() }
}

pub fn gate() -> Flow {
    let nodes = vec![
        node("candidate", "Candidate", "a merged fix with tests", 0),
        node("empty", "Empty patch", "targets must fail, guards must pass", 1),
        node("gold", "Gold patch", "targets and guards must pass", 2),
        node("again", "Repeat", "the same five times over", 3),
        node("task", "Task", "published with its proof", 4),
        node("reject", "Rejected", "with the reason", 4),
    ];
    let edges = [
        ("candidate", "empty", ""),
        ("empty", "gold", "as said"),
        ("gold", "again", "as said"),
        ("again", "task", "stable"),
        ("again", "reject", "flaky"),
        ("empty", "reject", "else"),
        ("gold", "reject", "else"),
    ];
    Flow { head: head("gate"), direction: Direction::Right, layers: vec![], nodes, edges: edges.map(edge).to_vec() }
}

pub fn preview() -> Card {
    let row = |(name, rate, half): (&str, f64, f64)| CardRow {
        name: name.into(),
        rate: Some(rate),
        interval: range((rate - half * 1.8).max(0.0), rate + half * 1.8),
        text: format!("{:.1}%", rate * 100.0),
    };
    let mut rows: Vec<CardRow> = MODELS.into_iter().map(row).collect();
    rows[3] = CardRow { name: "Gemini 3 Pro".into(), text: "no data".into(), ..CardRow::default() };
    Card {
        title: "TS-Bench".into(),
        board: "ts-bench 0.2 · 50 tasks from 12 repositories".into(),
        rows,
        footer: "19 September 2026 · bars are 95% intervals".into(),
    }
}
