//! Arrows of a diagram: where they leave and enter boxes, and the tracks on which they turn.

use super::axis::to_f64;
use super::canvas::At;
use super::flow::{Direction, Flow};
use super::flow_graph::Graph;
use super::flow_place::{Place, edge_lines, fixed_channels, limits};

const TRACK: f64 = 9.0;
const LINE: f64 = 14.0;

/// A text of the diagram: its middle, in the picture.
pub(super) struct Words {
    /// Left end, middle or right end, and middle height.
    pub at: (f64, f64),
    /// Which of them.
    pub anchor: At,
    /// One line.
    pub text: String,
}

/// Everything between the boxes.
#[derive(Default)]
pub(super) struct Routes {
    /// Where each row begins along.
    pub rows: Vec<f64>,
    /// Corners of each arrow, along and across, and its position in the description.
    pub wires: Vec<(usize, Vec<(f64, f64)>)>,
    /// Names of arrows.
    pub names: Vec<Words>,
    /// Where the last channel ends.
    pub end: f64,
}

/// A part of an arrow in the channel after a row: places across at which it leaves and enters.
struct Run {
    hop: usize,
    a: f64,
    b: f64,
    /// Both ends are in the row before the channel.
    hairpin: bool,
    track: Option<usize>,
}

/// Lays the arrows.
pub(super) fn routes(flow: &Flow, graph: &Graph, places: &[Place]) -> Routes {
    let mut routes = Routes::default();
    let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new(); graph.hops.len()];
    let ports = ports(graph, places);
    let fixed = fixed_channels(flow, graph);
    let mut along = limits(flow).1;
    for (row, items) in graph.rows.iter().enumerate() {
        routes.rows.push(along);
        let size = items.iter().map(|i| places[*i].size.0).fold(0.0, f64::max);
        beside(flow, graph, places, row, (along, size), &mut parts, &mut routes.names);
        let mut runs = runs(graph, &ports, row);
        let tracks = tracks(&mut runs);
        let start = along + size;
        let zone = names(flow, graph, &runs, start, &mut routes.names);
        let last = row + 1 == graph.rows.len();
        let (step, length) = match flow.direction {
            _ if last && runs.is_empty() => (TRACK, 0.0),
            Direction::Down => (TRACK, zone + 12.0 + to_f64(tracks) * TRACK + if last { 4.0 } else { 14.0 }),
            Direction::Right => (TRACK.min((fixed[row] - zone - 18.0) / to_f64(tracks + 1)), fixed[row]),
        };
        for run in &runs {
            let turn = start + zone + 6.0 + step * to_f64(run.track.unwrap_or(0));
            let far = if run.hairpin { start } else { start + length };
            let part = &mut parts[run.hop];
            part.push((start, run.a));
            if run.track.is_some() {
                part.extend([(turn, run.a), (turn, run.b)]);
            }
            part.push((far, run.b));
        }
        along = start + length;
    }
    routes.end = along;
    join(graph, parts, &mut routes);
    routes
}

/// Puts the parts of each arrow together, in the direction in which it points.
fn join(graph: &Graph, parts: Vec<Vec<(f64, f64)>>, routes: &mut Routes) {
    for (hop, part) in graph.hops.iter().zip(parts) {
        match routes.wires.last_mut() {
            Some((edge, wire)) if *edge == hop.edge => wire.extend(part),
            _ => routes.wires.push((hop.edge, part)),
        }
    }
    for (edge, wire) in &mut routes.wires {
        if graph.back[*edge] {
            wire.reverse();
        }
    }
}

/// Where each part leaves its first item and enters its second: evenly about the middle of the side, in the
/// order of what lies on the other end.
fn ports(graph: &Graph, places: &[Place]) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = graph.hops.iter().map(|h| (places[h.from].middle, places[h.to].middle)).collect();
    let hairpin = |h: usize| graph.items[graph.hops[h].from].row == graph.items[graph.hops[h].to].row;
    let mut count = vec![(0, 0); graph.items.len()];
    for item in 0..graph.items.len() {
        for leaving in [true, false] {
            // (other end across, hop, whether it is the second end of a hairpin)
            let mut here: Vec<(f64, usize, bool)> = Vec::new();
            for (h, hop) in graph.hops.iter().enumerate() {
                let bent = hairpin(h);
                if hop.beside || (bent && !leaving) {
                    continue;
                }
                if (if leaving { hop.from } else { hop.to }) == item {
                    here.push((places[if leaving { hop.to } else { hop.from }].middle, h, false));
                }
                if bent && hop.to == item {
                    here.push((places[hop.from].middle, h, true));
                }
            }
            here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let step = (places[item].size.1 / (to_f64(here.len()) + 0.4)).min(40.0);
            let first = places[item].middle - step * (to_f64(here.len()) - 1.0) / 2.0;
            for (k, (_, h, second)) in here.iter().enumerate() {
                let at = (first + step * to_f64(k)).round();
                if leaving && !second { out[*h].0 = at } else { out[*h].1 = at }
            }
            if leaving { count[item].0 = here.len() } else { count[item].1 = here.len() }
        }
    }
    straighten(graph, places, &count, &mut out);
    align(graph, &mut out);
    out
}

/// Where only one arrow uses a side, moves its port so that the arrow runs straight.
fn straighten(graph: &Graph, places: &[Place], count: &[(usize, usize)], ports: &mut [(f64, f64)]) {
    for (hop, port) in graph.hops.iter().zip(ports) {
        if graph.items[hop.from].row == graph.items[hop.to].row {
            continue;
        }
        let reaches = |item: usize, at: f64| {
            let inset = if graph.items[item].node.is_some() { 10.0 } else { 0.0 };
            (at - places[item].middle).abs() <= (places[item].size.1 / 2.0 - inset).max(0.0)
        };
        if count[hop.from].0 == 1 && reaches(hop.from, port.1) && graph.items[hop.from].node.is_some() {
            port.0 = port.1;
        } else if count[hop.to].1 == 1 && reaches(hop.to, port.0) && graph.items[hop.to].node.is_some() {
            port.1 = port.0;
        }
    }
}

/// Lets a passing arrow run level with the port beyond it where that is near: a jog of some pixels looks like
/// a mistake.
fn align(graph: &Graph, ports: &mut [(f64, f64)]) {
    for h in 1..graph.hops.len() {
        let (before, after) = (&graph.hops[h - 1], &graph.hops[h]);
        if before.edge != after.edge || before.to != after.from {
            continue;
        }
        let (into, out) = (graph.items[before.from].node.is_some(), graph.items[after.to].node.is_some());
        let near = |a: f64, b: f64| (a - b).abs() <= 8.0;
        if out && near(ports[h].0, ports[h].1) {
            ports[h - 1].1 = ports[h].1;
            ports[h].0 = ports[h].1;
        } else if into && near(ports[h - 1].0, ports[h - 1].1) {
            ports[h].0 = ports[h - 1].0;
            ports[h - 1].1 = ports[h - 1].0;
        }
    }
}

fn runs(graph: &Graph, ports: &[(f64, f64)], row: usize) -> Vec<Run> {
    let mut out = Vec::new();
    for (h, hop) in graph.hops.iter().enumerate() {
        let hairpin = graph.items[hop.to].row == row;
        if graph.items[hop.from].row == row && !hop.beside {
            let (a, b) = ports[h];
            let bent = hairpin || a.total_cmp(&b).is_ne();
            out.push(Run { hop: h, a, b: if bent { b } else { a }, hairpin, track: bent.then_some(0) });
        }
    }
    out
}

/// Gives every part that turns a track, so that none lies on another; how many there are.
fn tracks(runs: &mut [Run]) -> usize {
    let mut order: Vec<usize> = (0..runs.len()).filter(|i| runs[*i].track.is_some()).collect();
    order.sort_by(|x, y| (runs[*x].a - runs[*x].b).abs().total_cmp(&(runs[*y].a - runs[*y].b).abs()).then(x.cmp(y)));
    let mut ends: Vec<Vec<(f64, f64)>> = Vec::new();
    for i in order {
        let (lo, hi) = (runs[i].a.min(runs[i].b) - 6.0, runs[i].a.max(runs[i].b) + 6.0);
        let free = ends.iter().position(|track| track.iter().all(|(l, h)| hi < *l || lo > *h)).unwrap_or(ends.len());
        if free == ends.len() {
            ends.push(Vec::new());
        }
        ends[free].push((lo, hi));
        runs[i].track = Some(free);
    }
    let count = ends.len();
    if (2..=6).contains(&count) {
        let mut best: (usize, Vec<usize>) = (usize::MAX, (0..count).collect());
        permute(&mut (0..count).collect(), 0, &mut |order| {
            let cost = crossings(runs, order);
            if cost < best.0 {
                best = (cost, order.to_vec());
            }
        });
        for run in runs {
            run.track = run.track.map(|t| best.1[t]);
        }
    }
    count
}

fn permute(order: &mut Vec<usize>, from: usize, see: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        see(order);
        return;
    }
    for k in from..order.len() {
        order.swap(from, k);
        permute(order, from + 1, see);
        order.swap(from, k);
    }
}

/// How often parts cross, a hundredfold where one lies on another.
fn crossings(runs: &[Run], order: &[usize]) -> usize {
    let level = |r: &Run| r.track.map(|t| order[t]);
    let mut cost = 0;
    for r in runs {
        let Some(at) = level(r) else { continue };
        let (lo, hi) = (r.a.min(r.b), r.a.max(r.b));
        for s in runs {
            if s.hop == r.hop {
                continue;
            }
            let turn = level(s);
            // The first leg of `s` reaches down to its own track, the second goes on from there.
            if (lo..=hi).contains(&s.a) && turn.is_none_or(|t| t > at) {
                cost += 1;
            }
            let passes = if s.hairpin { turn.is_some_and(|t| t > at) } else { turn.is_some_and(|t| t < at) };
            if (lo..=hi).contains(&s.b) && passes {
                cost += 1;
            }
            if (r.a - s.b).abs() < 4.0 && turn.is_some_and(|t| t < at) && !s.hairpin {
                cost += 100;
            }
        }
    }
    cost
}

/// Writes the names of arrows at the beginning of a channel; how much of it they take.
fn names(flow: &Flow, graph: &Graph, runs: &[Run], start: f64, out: &mut Vec<Words>) -> f64 {
    let mut named: Vec<&Run> = runs.iter().filter(|r| graph.hops[r.hop].named).collect();
    named.sort_by(|x, y| x.a.total_cmp(&y.a));
    let mut zone: f64 = 0.0;
    let mut taken: Vec<(f64, f64, f64, f64)> = Vec::new();
    for run in named {
        let (lines, wide) = edge_lines(&flow.edges[graph.hops[run.hop].edge].label, flow.direction);
        let high = to_f64(lines.len()) * LINE;
        if lines.is_empty() {
            continue;
        }
        if flow.direction == Direction::Right {
            for (k, text) in lines.iter().enumerate() {
                let y = run.a - high + LINE * to_f64(k) + LINE / 2.0 - 2.0;
                out.push(Words { at: (start + 6.0, y), anchor: At::Start, text: text.clone() });
            }
            zone = zone.max(wide + 8.0);
            continue;
        }
        let spot = spot(runs, run, &taken, (wide, high));
        taken.push((spot.0, spot.1, spot.0 + wide, spot.1 + high));
        for (k, text) in lines.iter().enumerate() {
            let left = if spot.0 < run.a { (run.a - 6.0, At::End) } else { (spot.0, At::Start) };
            out.push(Words {
                at: (left.0, start + spot.1 + LINE * (to_f64(k) + 0.5)),
                anchor: left.1,
                text: text.clone(),
            });
        }
        zone = zone.max(spot.1 + high);
    }
    zone
}

/// The nearest place beside an arrow that no other arrow and no other name crosses.
fn spot(runs: &[Run], run: &Run, taken: &[(f64, f64, f64, f64)], (wide, high): (f64, f64)) -> (f64, f64) {
    let mut level = 4.0;
    while level < 200.0 {
        for left in [run.a + 6.0, run.a - 6.0 - wide] {
            let right = left + wide;
            let crossed = runs.iter().any(|r| {
                r.hop != run.hop
                    && ((left - 4.0..right + 4.0).contains(&r.a) || (r.hairpin && (left..right).contains(&r.b)))
            });
            let covered =
                taken.iter().any(|t| left < t.2 + 4.0 && right > t.0 - 4.0 && level < t.3 && level + high > t.1);
            // A name that cannot avoid an arrow goes below the others, over the arrow.
            if !covered && left >= 0.0 && right <= 720.0 && (!crossed || level > 60.0) {
                return (left, level);
            }
        }
        level += LINE;
    }
    (run.a + 6.0, level)
}

/// Arrows between neighbours of one row, and their names.
fn beside(
    flow: &Flow,
    graph: &Graph,
    places: &[Place],
    row: usize,
    (along, size): (f64, f64),
    parts: &mut [Vec<(f64, f64)>],
    out: &mut Vec<Words>,
) {
    let mut seen: Vec<(usize, usize)> = Vec::new();
    for (h, hop) in graph.hops.iter().enumerate() {
        if graph.items[hop.from].row != row || !hop.beside {
            continue;
        }
        let pair = (hop.from.min(hop.to), hop.from.max(hop.to));
        let nth = seen.iter().filter(|p| **p == pair).count();
        seen.push(pair);
        let at = along + size / 2.0 + to_f64(nth) * 12.0;
        let side = if places[hop.from].middle < places[hop.to].middle { 1.0 } else { -1.0 };
        let a = places[hop.from].middle + side * places[hop.from].size.1 / 2.0;
        let b = places[hop.to].middle - side * places[hop.to].size.1 / 2.0;
        parts[h] = vec![(at, a), (at, b)];
        let (lines, _) = edge_lines(&flow.edges[hop.edge].label, flow.direction);
        for (k, text) in lines.iter().enumerate() {
            let line = to_f64(k);
            let (x, y, anchor) = match flow.direction {
                Direction::Down if nth > 0 => (f64::midpoint(a, b), at + 9.0 + LINE * line, At::Middle),
                Direction::Down => {
                    (f64::midpoint(a, b), at - 9.0 - LINE * (to_f64(lines.len()) - 1.0 - line), At::Middle)
                }
                Direction::Right => {
                    (at, f64::midpoint(a, b) + LINE * (line - (to_f64(lines.len()) - 1.0) / 2.0), At::Middle)
                }
            };
            out.push(Words { at: (x, y), anchor, text: text.clone() });
        }
    }
}

/// Whether the words fit into the picture; kept for the tests of the layout.
#[cfg(test)]
pub(super) fn room(words: &Words) -> (f64, f64) {
    let wide = super::text::width(&words.text, 12.0);
    match words.anchor {
        At::Start => (words.at.0, words.at.0 + wide),
        At::Middle => (words.at.0 - wide / 2.0, words.at.0 + wide / 2.0),
        At::End => (words.at.0 - wide, words.at.0),
    }
}
