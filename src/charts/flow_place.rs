//! Sizes and places of the boxes of a diagram.
//!
//! Everything is in two axes: `along` the direction of the layers and `across` it, so that one layout serves
//! both directions.

use super::WIDTH;
use super::axis::to_f64;
use super::flow::{Direction, Flow};
use super::flow_graph::{Graph, Hop};
use super::text::{BOLD, width, wrap};

/// Space between the text and the frame of a box.
pub(super) const PAD: f64 = 9.0;
/// Height of a line of a name, and of a note.
pub(super) const LINE: (f64, f64) = (17.0, 15.0);
/// Room for an arrow beside which nothing stands.
pub(super) const LANE: f64 = 12.0;
const PORT: f64 = 14.0;

/// A box or a passing place with its size.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// Lines of the name.
    pub name: Vec<String>,
    /// Lines of the note.
    pub note: Vec<String>,
    /// Size along and across.
    pub size: (f64, f64),
    /// Middle across.
    pub middle: f64,
}

/// Lines of an arrow's name and the room across that they take.
pub(super) fn edge_lines(text: &str, direction: Direction) -> (Vec<String>, f64) {
    let lines = wrap(text, 12.0, if direction == Direction::Down { 150.0 } else { 78.0 });
    let room = lines.iter().map(|l| width(l, 12.0)).fold(0.0, f64::max);
    (lines, room)
}

/// The part of the picture that boxes may take across, and where the first row begins along.
pub(super) fn limits(flow: &Flow) -> ((f64, f64), f64) {
    let named = flow.layers.iter().any(|l| !l.is_empty());
    match flow.direction {
        Direction::Down => ((if named { 112.0 } else { 1.0 }, f64::from(WIDTH) - 1.0), 4.0),
        Direction::Right => ((if named { 40.0 } else { 4.0 }, f64::INFINITY), 1.0),
    }
}

/// Room between two items of a row.
pub(super) fn gap(flow: &Flow, graph: &Graph, a: usize, b: usize) -> f64 {
    let least: f64 = if graph.items[a].node.is_some() && graph.items[b].node.is_some() { 22.0 } else { 12.0 };
    let joins = graph.hops.iter().filter(|h| h.beside && ((h.from, h.to) == (a, b) || (h.from, h.to) == (b, a)));
    joins.fold(least, |room, hop| {
        let (lines, wide) = edge_lines(&flow.edges[hop.edge].label, flow.direction);
        let need = match flow.direction {
            Direction::Down => wide + 24.0,
            Direction::Right => to_f64(lines.len()) * 14.0 + 26.0,
        };
        room.max(need.max(34.0))
    })
}

/// Lengths of the gaps after each row of a left-to-right diagram: room for names and for arrows.
pub(super) fn fixed_channels(flow: &Flow, graph: &Graph) -> Vec<f64> {
    (0..graph.rows.len())
        .map(|row| {
            let hops: Vec<_> = graph.hops.iter().filter(|h| graph.items[h.from].row == row && !h.beside).collect();
            let names =
                hops.iter().filter(|h| h.named).map(|h| edge_lines(&flow.edges[h.edge].label, flow.direction).1);
            let last = row + 1 == graph.rows.len();
            if last && hops.is_empty() { 0.0 } else { names.fold(0.0, f64::max) + 30.0 }
        })
        .collect()
}

/// Sizes and middles of all items.
pub(super) fn places(flow: &Flow, graph: &Graph) -> Vec<Place> {
    let mut places = vec![Place::default(); graph.items.len()];
    let ((lo, hi), _) = limits(flow);
    let needs: Vec<f64> = graph.rows.iter().map(|row| longest_word(flow, graph, row)).collect();
    let spare = f64::from(WIDTH) - 2.0 - fixed_channels(flow, graph).iter().sum::<f64>() - needs.iter().sum::<f64>();
    let spare = spare / to_f64(graph.rows.len().max(1));
    for (row, need) in graph.rows.iter().zip(needs) {
        let boxes = row.iter().filter(|i| graph.items[**i].node.is_some()).count().max(1);
        let gaps: f64 = row.windows(2).map(|w| gap(flow, graph, w[0], w[1])).sum();
        let passing = to_f64(row.len() - boxes.min(row.len())) * LANE;
        let room = match flow.direction {
            Direction::Down => ((hi - lo - gaps - passing) / to_f64(boxes)).clamp(60.0, 230.0),
            Direction::Right => (need + spare).clamp(60.0, 190.0),
        };
        size_row(flow, graph, row, room, &mut places);
    }
    arrange(flow, graph, &mut places);
    places
}

/// Width of a box that breaks no word of its column.
fn longest_word(flow: &Flow, graph: &Graph, row: &[usize]) -> f64 {
    let nodes = row.iter().filter_map(|i| graph.items[*i].node).map(|n| &flow.nodes[n]);
    let words = nodes.flat_map(|n| {
        let names = n.label.split_whitespace().map(|w| width(w, 13.0 * BOLD));
        names.chain(n.note.split_whitespace().map(|w| width(w, 12.0)))
    });
    (words.fold(0.0, f64::max) + 2.0 * PAD + 1.0).min(150.0)
}

/// Height of a row that holds the names of the arrows between its neighbours.
fn names_beside(flow: &Flow, graph: &Graph, row: &[usize]) -> f64 {
    let here: Vec<_> = graph.hops.iter().filter(|h| h.beside && row.contains(&h.from)).collect();
    let twice = |h: &Hop| {
        here.iter().any(|g| (g.from, g.to) == (h.to, h.from) || (g.edge != h.edge && (g.from, g.to) == (h.from, h.to)))
    };
    let high = here.iter().map(|h| {
        let lines = to_f64(edge_lines(&flow.edges[h.edge].label, flow.direction).0.len());
        2.0 * (14.0 * lines + if twice(h) { 16.0 } else { 4.0 })
    });
    high.fold(0.0, f64::max)
}

/// Wraps the texts of a row and gives its boxes a common size along, and in a top-down diagram across.
fn size_row(flow: &Flow, graph: &Graph, row: &[usize], room: f64, places: &mut [Place]) {
    let (mut wide, mut high) = (72.0_f64.min(room), 0.0_f64);
    for &i in row {
        let Some(node) = graph.items[i].node.map(|n| &flow.nodes[n]) else { continue };
        let text = room - 2.0 * PAD;
        let name = if node.label.is_empty() { &node.id } else { &node.label };
        places[i].name = wrap(name, 13.0 * BOLD, text);
        places[i].note = wrap(&node.note, 12.0, text);
        let names = places[i].name.iter().map(|l| width(l, 13.0 * BOLD));
        let notes = places[i].note.iter().map(|l| width(l, 12.0));
        wide = wide.max(names.chain(notes).fold(0.0, f64::max) + 2.0 * PAD);
        high = high.max(text_height(&places[i]) + 2.0 * PAD);
    }
    if flow.direction == Direction::Down {
        high = high.max(names_beside(flow, graph, row));
    }
    for &i in row {
        if graph.items[i].node.is_none() {
            let along = if flow.direction == Direction::Down { high } else { wide };
            places[i].size = (along, LANE);
            continue;
        }
        let ports = |out: bool| {
            let hops = graph.hops.iter().filter(|h| !h.beside && if out { h.from == i } else { h.to == i });
            let bent = graph
                .hops
                .iter()
                .filter(|h| out && !h.beside && h.to == i && graph.items[h.from].row == graph.items[i].row);
            let high = hops
                .chain(bent)
                .map(|h| 4.0 + 14.0 * to_f64(edge_lines(&flow.edges[h.edge].label, flow.direction).0.len()));
            let (count, most) = high.fold((0.4, PORT), |(n, most), h| (n + 1.0, h.max(most)));
            count * most
        };
        let need = ports(true).max(ports(false));
        places[i].size = match flow.direction {
            Direction::Down => (high, wide),
            Direction::Right => (wide, (text_height(&places[i]) + 2.0 * PAD).max(need)),
        };
    }
}

/// Height of name and note together.
pub(super) fn text_height(place: &Place) -> f64 {
    to_f64(place.name.len()) * LINE.0 + to_f64(place.note.len()) * LINE.1
}

/// Puts the items of every row across, near the middle of what they are joined to.
fn arrange(flow: &Flow, graph: &Graph, places: &mut [Place]) {
    let (bounds, _) = limits(flow);
    let steps: Vec<Vec<f64>> = graph
        .rows
        .iter()
        .map(|row| {
            let step =
                |w: &[usize]| f64::midpoint(places[w[0]].size.1, places[w[1]].size.1) + gap(flow, graph, w[0], w[1]);
            row.windows(2).map(step).collect()
        })
        .collect();
    let centre = if bounds.1.is_finite() { f64::midpoint(bounds.0, bounds.1) } else { 0.0 };
    for (row, steps) in graph.rows.iter().zip(&steps) {
        let mut at = centre - steps.iter().sum::<f64>() / 2.0;
        for (k, &i) in row.iter().enumerate() {
            at += if k == 0 { 0.0 } else { steps[k - 1] };
            places[i].middle = at;
        }
    }
    for round in 0..12 {
        let mut order: Vec<usize> = (0..graph.rows.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for r in order {
            let row = &graph.rows[r];
            let wanted: Vec<f64> = row.iter().map(|i| wish(graph, places, *i)).collect();
            let edge = |i: Option<&usize>| i.map_or(0.0, |i| places[*i].size.1 / 2.0);
            let inner = if bounds.1.is_finite() {
                (bounds.0 + edge(row.first()), bounds.1 - edge(row.last()))
            } else {
                (f64::NEG_INFINITY, f64::INFINITY)
            };
            for (&i, at) in row.iter().zip(in_order(&wanted, &steps[r], inner)) {
                places[i].middle = at;
            }
        }
    }
    if !bounds.1.is_finite() {
        let top = places.iter().map(|p| p.middle - p.size.1 / 2.0).fold(f64::INFINITY, f64::min);
        for place in places.iter_mut() {
            place.middle += bounds.0 - top;
        }
    }
    // Whole pixels, so that what is meant to be straight is.
    for place in places.iter_mut() {
        place.middle = place.middle.round();
    }
}

/// Where an item would stand if it were alone: the middle of its neighbours. Passing arrows pull harder, for
/// a straight long arrow is worth more than a straight short one.
fn wish(graph: &Graph, places: &[Place], item: usize) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for hop in &graph.hops {
        let other = if hop.from == item {
            hop.to
        } else if hop.to == item {
            hop.from
        } else {
            continue;
        };
        if graph.items[other].row != graph.items[item].row {
            let pull = if graph.items[item].node.is_none() && graph.items[other].node.is_none() { 4.0 } else { 1.0 };
            sum += places[other].middle * pull;
            weight += pull;
        }
    }
    if weight == 0.0 { places[item].middle } else { sum / weight }
}

/// Places nearest to the wanted ones, in this order, at least these steps apart, within the limits.
fn in_order(wanted: &[f64], steps: &[f64], (lo, hi): (f64, f64)) -> Vec<f64> {
    let mut offset = vec![0.0; wanted.len()];
    for k in 1..wanted.len() {
        offset[k] = offset[k - 1] + steps[k - 1];
    }
    // Without the steps the places only have to ascend: pool what does not.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (want, off) in wanted.iter().zip(&offset) {
        pools.push((want - off, 1));
        while let [.., (a, n), (b, m)] = pools[..] {
            if a <= b {
                break;
            }
            pools.truncate(pools.len() - 2);
            pools.push(((a * to_f64(n) + b * to_f64(m)) / to_f64(n + m), n + m));
        }
    }
    let last = offset.last().copied().unwrap_or(0.0);
    let base = pools.iter().flat_map(|(v, n)| std::iter::repeat_n(*v, *n));
    base.zip(&offset).map(|(v, off)| v.min(hi - last).max(lo) + off).collect()
}
