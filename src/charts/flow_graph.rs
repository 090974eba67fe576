//! The boxes of a diagram in rows, with a place kept in every row that an arrow passes, in an order with few
//! crossings.

use super::axis::to_f64;
use super::flow::{Direction, Flow};
use std::collections::BTreeMap;

/// Boxes beside each other in a row of a top-down diagram; a fuller layer gets several rows.
const ABREAST: usize = 5;

/// A box, or the place where an arrow passes a row.
pub(super) struct Item {
    /// Position of its node in the description; none for a passing arrow.
    pub node: Option<usize>,
    /// Its row, from 0.
    pub row: usize,
}

/// A part of an arrow: between two neighbouring rows, or between two items of one row.
pub(super) struct Hop {
    /// Item at its beginning, in the earlier row.
    pub from: usize,
    /// Item at its end.
    pub to: usize,
    /// Position of the arrow in the description.
    pub edge: usize,
    /// The name of the arrow is written at this part: the one that begins at a box.
    pub named: bool,
    /// A straight line between neighbours of one row.
    pub beside: bool,
}

/// A diagram in rows.
pub(super) struct Graph {
    /// Boxes first, in the order of the description, then passing places.
    pub items: Vec<Item>,
    /// Items of each row in order.
    pub rows: Vec<Vec<usize>>,
    /// Layer of each row, for its name.
    pub layers: Vec<usize>,
    /// Parts of arrows, in the order of arrows.
    pub hops: Vec<Hop>,
    /// Whether each arrow of the description runs against the direction of the layers.
    pub back: Vec<bool>,
}

impl Graph {
    /// The rows of a description. An arrow with an unknown end has no part.
    pub fn of(flow: &Flow) -> Graph {
        let mut graph = Graph::boxes(flow);
        let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, node) in flow.nodes.iter().enumerate() {
            by_id.entry(&node.id).or_insert(i);
        }
        for (edge, e) in flow.edges.iter().enumerate() {
            let ends = (by_id.get(e.from.as_str()).copied(), by_id.get(e.to.as_str()).copied());
            let back = match ends {
                (Some(from), Some(to)) => graph.join(edge, from, to),
                _ => false,
            };
            graph.back.push(back);
        }
        graph.order();
        graph.link_neighbours(if flow.direction == Direction::Down { 2 } else { 1 });
        graph
    }

    fn boxes(flow: &Flow) -> Graph {
        let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, node) in flow.nodes.iter().enumerate() {
            layers.entry(node.layer).or_default().push(i);
        }
        let mut items: Vec<Item> = (0..flow.nodes.len()).map(|i| Item { node: Some(i), row: 0 }).collect();
        let (mut rows, mut names) = (Vec::new(), Vec::new());
        for (layer, nodes) in layers {
            let count = if flow.direction == Direction::Down { nodes.len().div_ceil(ABREAST) } else { 1 };
            for part in nodes.chunks(nodes.len().div_ceil(count)) {
                for i in part {
                    items[*i].row = rows.len();
                }
                rows.push(part.to_vec());
                names.push(layer);
            }
        }
        Graph { items, rows, layers: names, hops: Vec::new(), back: Vec::new() }
    }

    /// Adds the parts of an arrow; whether it runs backwards.
    fn join(&mut self, edge: usize, from: usize, to: usize) -> bool {
        let back = self.items[from].row > self.items[to].row;
        let (first, last) = if back { (to, from) } else { (from, to) };
        let (top, bottom) = (self.items[first].row, self.items[last].row);
        let mut at = first;
        for row in top + 1..bottom {
            self.items.push(Item { node: None, row });
            let pass = self.items.len() - 1;
            self.rows[row].push(pass);
            self.hops.push(Hop { from: at, to: pass, edge, named: at == first, beside: false });
            at = pass;
        }
        self.hops.push(Hop { from: at, to: last, edge, named: at == first, beside: false });
        back
    }

    /// Sorts every row by the middle of its neighbours, forth and back, and keeps the best order seen.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for sweep in 0..8 {
            let down = sweep % 2 == 0;
            let count = self.rows.len();
            for step in 1..count {
                self.sort_row(if down { step } else { count - 1 - step }, down);
            }
            let now = self.crossings();
            if now < best.0 {
                best = (now, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// Marks the arrows that run straight from neighbour to neighbour, at most so many between two boxes; the
    /// others turn in the channel below.
    fn link_neighbours(&mut self, most: usize) {
        let places = self.places();
        let mut linked: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for hop in &mut self.hops {
            let same = self.items[hop.from].row == self.items[hop.to].row;
            if same && places[hop.from].abs_diff(places[hop.to]) == 1 {
                let count = linked.entry((hop.from.min(hop.to), hop.from.max(hop.to))).or_default();
                hop.beside = *count < most;
                *count += 1;
            }
        }
    }

    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.items.len()];
        for row in &self.rows {
            for (at, item) in row.iter().enumerate() {
                places[*item] = at;
            }
        }
        places
    }

    fn sort_row(&mut self, row: usize, from_above: bool) {
        let places = self.places();
        let middle = |item: usize| {
            let near = self.hops.iter().filter_map(|h| match from_above {
                true if h.to == item && self.items[h.from].row < row => Some(places[h.from]),
                false if h.from == item && self.items[h.to].row > row => Some(places[h.to]),
                _ => None,
            });
            let (sum, n) = near.fold((0.0, 0), |(sum, n), p| (sum + to_f64(p), n + 1));
            if n == 0 { to_f64(places[item]) } else { sum / to_f64(n) }
        };
        let mut sorted: Vec<(f64, usize)> = self.rows[row].iter().map(|i| (middle(*i), *i)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.rows[row] = sorted.into_iter().map(|(_, i)| i).collect();
    }

    /// Pairs of parts that cross, and three for each box between two linked boxes of one row.
    fn crossings(&self) -> usize {
        let places = self.places();
        let mut n = 0;
        for (i, a) in self.hops.iter().enumerate() {
            if self.items[a.from].row == self.items[a.to].row {
                n += 3 * places[a.from].abs_diff(places[a.to]).saturating_sub(1);
                continue;
            }
            for b in &self.hops[i + 1..] {
                let same =
                    self.items[a.from].row == self.items[b.from].row && self.items[b.to].row > self.items[b.from].row;
                if same && (places[a.from].cmp(&places[b.from]) as i8) * (places[a.to].cmp(&places[b.to]) as i8) < 0 {
                    n += 1;
                }
            }
        }
        n
    }
}
