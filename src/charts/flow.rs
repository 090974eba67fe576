use super::Label;
use super::axis::{full_width, to_f64};
use super::canvas::{At, Canvas};
use super::flow_graph::Graph;
use super::flow_place::{LINE, Place, places, text_height};
use super::flow_route::{Routes, routes};
use super::interval::empty_track;
use super::text::{token, wrap};
use super::{ChartError, Head};
use serde::{Deserialize, Serialize};

/// A diagram of boxes and arrows, laid out from its description.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flow {
    /// Title and description.
    pub head: Head,
    /// The way in which layers follow each other.
    pub direction: Direction,
    /// Names of the layers in order, drawn beside them; may be shorter than the layers or empty.
    pub layers: Vec<String>,
    /// The boxes.
    pub nodes: Vec<Node>,
    /// The arrows; one whose ends are not both boxes is left out.
    pub edges: Vec<Edge>,
}

/// The way in which layers follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From left to right; good for up to five layers.
    Right,
    /// From top to bottom.
    #[default]
    Down,
}

/// A box of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// The name by which edges refer to it.
    pub id: String,
    /// The name in the box.
    pub label: String,
    /// Smaller words under the name; may be empty.
    pub note: String,
    /// The layer in which it stands, from 0.
    pub layer: usize,
    /// An extra class for emphasis, a single word of letters, digits, `-` and `_`; may be empty.
    pub class: String,
}

/// An arrow of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edge {
    /// Id of the box in which it starts.
    pub from: String,
    /// Id of the box to which it points.
    pub to: String,
    /// Words beside it; may be empty.
    pub label: String,
}

/// Layers beyond which a left-to-right diagram is laid out from top to bottom instead.
const MOST_COLUMNS: usize = 6;

/// Draws a diagram.
pub fn flow(flow: &Flow) -> Result<String, ChartError> {
    let mut graph = Graph::of(flow);
    let turned;
    let mut plan = flow;
    if flow.direction == Direction::Right && graph.rows.len() > MOST_COLUMNS {
        turned = Flow { direction: Direction::Down, ..flow.clone() };
        graph = Graph::of(&turned);
        plan = &turned;
    }
    let places = places(plan, &graph);
    let routes = routes(plan, &graph, &places);
    let across = places.iter().map(|p| p.middle + p.size.1 / 2.0);
    let turns = routes.wires.iter().flat_map(|(_, w)| w.iter().map(|p| p.1));
    let height = match plan.direction {
        Direction::Down => routes.end + 4.0,
        Direction::Right => across.chain(turns).fold(30.0, f64::max) + 6.0,
    };
    let mut canvas = Canvas::new(if plan.nodes.is_empty() { 40.0 } else { height });
    layers(&mut canvas, plan, &graph, &places, &routes);
    wires(&mut canvas, plan, &graph, &routes);
    boxes(&mut canvas, plan, &graph, &places, &routes);
    for words in &routes.names {
        canvas.words(words.at, words.anchor, "edge-label", &words.text);
    }
    if plan.nodes.is_empty() {
        empty_track(&mut canvas, (0.0, full_width()), 20.0, "nothing to show");
    }
    canvas.finish(&flow.head)
}

fn turn(direction: Direction, (along, across): (f64, f64)) -> (f64, f64) {
    match direction {
        Direction::Down => (across, along),
        Direction::Right => (along, across),
    }
}

/// Names of layers: left of their first row, or above their column.
fn layers(canvas: &mut Canvas, flow: &Flow, graph: &Graph, places: &[Place], routes: &Routes) {
    let mut shown = None;
    for (row, layer) in graph.layers.iter().enumerate() {
        let name = flow.layers.get(*layer).map_or("", String::as_str);
        if shown.replace(*layer) == Some(*layer) || name.is_empty() {
            continue;
        }
        let size = graph.rows[row].iter().map(|i| places[*i].size.0).fold(0.0, f64::max);
        let start = routes.rows[row];
        match flow.direction {
            Direction::Down => {
                let lines = wrap(name, 12.0, 92.0);
                let first = start + size / 2.0 - to_f64(lines.len()) * 7.5 + 7.5;
                for (k, line) in lines.iter().enumerate() {
                    canvas.words((0.0, first + 15.0 * to_f64(k)), At::Start, "layer", line);
                }
            }
            Direction::Right => canvas.name((start + size / 2.0, 14.0), At::Middle, 12.0, "layer", name, size + 24.0),
        }
    }
}

fn wires(canvas: &mut Canvas, flow: &Flow, graph: &Graph, routes: &Routes) {
    for (edge, wire) in &routes.wires {
        let mut line: Vec<(f64, f64)> = wire.iter().map(|p| turn(flow.direction, *p)).collect();
        line.dedup();
        let [.., before, tip] = line[..] else { continue };
        let (dx, dy) = (tip.0 - before.0, tip.1 - before.1);
        let length = dx.hypot(dy).max(0.1);
        let (ux, uy) = (dx / length, dy / length);
        let foot = (tip.0 - 7.0 * ux, tip.1 - 7.0 * uy);
        if let Some(last) = line.last_mut() {
            *last = foot;
        }
        canvas.path(&line, if graph.back[*edge] { "edge back" } else { "edge" });
        let wing = |side: f64| (foot.0 - uy * 3.5 * side, foot.1 + ux * 3.5 * side);
        canvas.polygon(&[tip, wing(1.0), wing(-1.0)], "arrow");
    }
}

fn boxes(canvas: &mut Canvas, flow: &Flow, graph: &Graph, places: &[Place], routes: &Routes) {
    for (item, place) in graph.items.iter().zip(places) {
        let Some(node) = item.node.map(|n| &flow.nodes[n]) else { continue };
        let start = routes.rows[item.row];
        let corner = turn(flow.direction, (start, place.middle - place.size.1 / 2.0));
        let size = turn(flow.direction, place.size);
        let class = if node.class.is_empty() { "box".to_owned() } else { format!("box {}", token(&node.class)) };
        canvas.rect(corner, size, &class);
        let centre = corner.0 + size.0 / 2.0;
        let mut y = corner.1 + (size.1 - text_height(place)) / 2.0;
        for line in &place.name {
            canvas.label((centre, y + LINE.0 / 2.0), At::Middle, 13.0, "title", &Label::words(line.clone()));
            y += LINE.0;
        }
        for line in &place.note {
            canvas.words((centre, y + LINE.1 / 2.0), At::Middle, "note", line);
            y += LINE.1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow_route::room;
    use super::*;
    use proptest::prelude::*;

    type Rectangle = (f64, f64, f64, f64);

    /// Boxes, names and wires of a diagram in the picture.
    /// Boxes, names and wires as they were drawn.
    type Drawn = (Vec<Rectangle>, Vec<Rectangle>, Vec<Vec<(f64, f64)>>);

    fn laid_out(flow: &Flow) -> Drawn {
        let graph = Graph::of(flow);
        let places = places(flow, &graph);
        let routes = routes(flow, &graph, &places);
        let boxes = graph.items.iter().zip(&places).filter(|(i, _)| i.node.is_some()).map(|(item, p)| {
            let a = turn(flow.direction, (routes.rows[item.row], p.middle - p.size.1 / 2.0));
            let size = turn(flow.direction, p.size);
            (a.0, a.1, a.0 + size.0, a.1 + size.1)
        });
        let names = routes.names.iter().map(|w| (room(w).0, w.at.1 - 6.0, room(w).1, w.at.1 + 6.0));
        let wires = routes.wires.iter().map(|(_, w)| w.iter().map(|p| turn(flow.direction, *p)).collect());
        (boxes.collect(), names.collect(), wires.collect())
    }

    fn meet(a: &Rectangle, b: &Rectangle) -> bool {
        a.0 < b.2 - 0.5 && b.0 < a.2 - 0.5 && a.1 < b.3 - 0.5 && b.1 < a.3 - 0.5
    }

    fn check(flow: &Flow) -> Result<(), TestCaseError> {
        let (boxes, names, wires) = laid_out(flow);
        for (i, a) in boxes.iter().enumerate() {
            prop_assert!(a.0 >= 0.0 && a.2 <= 720.5 && a.1 >= 0.0, "box outside {a:?}");
            prop_assert!(boxes[i + 1..].iter().all(|b| !meet(a, b)), "boxes overlap");
            prop_assert!(names.iter().all(|n| !meet(a, n)), "a name on a box");
        }
        for (i, a) in names.iter().enumerate() {
            prop_assert!(names[i + 1..].iter().all(|b| !meet(a, b)), "names overlap {a:?}");
        }
        for leg in wires.iter().flat_map(|w| w.windows(2)) {
            let line = (
                leg[0].0.min(leg[1].0),
                leg[0].1.min(leg[1].1),
                leg[0].0.max(leg[1].0) + 1.0,
                leg[0].1.max(leg[1].1) + 1.0,
            );
            prop_assert!(
                boxes.iter().all(|b| !meet(&(b.0 + 1.0, b.1 + 1.0, b.2 - 1.0, b.3 - 1.0), &line)),
                "an arrow through a box {line:?} {boxes:?}"
            );
            prop_assert!(leg[0].0 == leg[1].0 || leg[0].1 == leg[1].1, "a slanted arrow {leg:?}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn nothing_overlaps_in_any_diagram(
            down in any::<bool>(),
            layers in prop::collection::vec(0_usize..5, 1..12),
            edges in prop::collection::vec((0_usize..12, 0_usize..12, 0_usize..3), 0..10),
        ) {
            let nodes = layers.iter().enumerate().map(|(i, layer)| Node {
                id: format!("n{i}"), label: format!("Box number {i}"), note: "what it does in some words".repeat(i % 3),
                layer: *layer, class: String::new(),
            });
            let label = ["", "raw lines", "a longer name of an arrow"];
            let edges = edges.iter().filter(|(a, b, _)| a != b).map(|(a, b, l)| Edge { from: format!("n{a}"), to: format!("n{b}"), label: label[*l].into() });
            let direction = if down { Direction::Down } else { Direction::Right };
            check(&Flow { direction, nodes: nodes.collect(), edges: edges.collect(), ..Flow::default() })?;
        }
    }
}
