//! The pictures: their structure, their words and one example of each.

mod examples;

use examples::*;
use std::collections::BTreeSet;
use tsbench::charts::*;
use tsbench::schema::Outcome;

/// Every example by name.
fn pictures() -> Vec<(&'static str, String)> {
    vec![
        ("interval", intervals(&interval()).unwrap()),
        ("curve", curves(&curve()).unwrap()),
        ("field", field(&field_of(60)).unwrap().svg),
        ("scatter", scatter(&scatter_plot()).unwrap()),
        ("steps", steps(&step_plot()).unwrap()),
        ("months", months(&month_plot()).unwrap()),
        ("slope", slope(&slope_plot()).unwrap()),
        ("layers", flow(&layers()).unwrap()),
        ("gate", flow(&gate()).unwrap()),
    ]
}

/// The same charts without any data.
fn empty_pictures() -> Vec<String> {
    vec![
        intervals(&IntervalPlot { head: head("e0"), ..Default::default() }).unwrap(),
        curves(&CurvePlot { head: head("e1"), ..Default::default() }).unwrap(),
        field(&Field { head: head("e2"), key: true, ..Default::default() }).unwrap().svg,
        scatter(&ScatterPlot { head: head("e3"), ..Default::default() }).unwrap(),
        steps(&StepPlot { head: head("e4"), ..Default::default() }).unwrap(),
        months(&MonthPlot { head: head("e5"), ..Default::default() }).unwrap(),
        slope(&SlopePlot { head: head("e6"), ..Default::default() }).unwrap(),
        flow(&Flow { head: head("e7"), ..Default::default() }).unwrap(),
    ]
}

/// Values of an attribute, in order.
fn attributes<'s>(svg: &'s str, name: &str) -> Vec<&'s str> {
    let start = format!(" {name}=\"");
    svg.match_indices(&start).map(|(at, _)| svg[at + start.len()..].split('"').next().unwrap()).collect()
}

/// Fails unless tags nest, every `&` is an entity and no character is forbidden in XML.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').unwrap();
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !inside.ends_with('/') {
            open.push(inside.split(' ').next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for (at, _) in svg.match_indices('&') {
        let entity = svg[at..].split(';').next().unwrap();
        assert!(["&amp", "&lt", "&gt", "&quot", "&#39"].contains(&entity), "{entity}");
    }
    assert!(!svg.chars().any(char::is_control));
}

fn assert_structure(svg: &str) {
    assert_well_formed(svg);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
    let (start, rest) = svg.split_once('>').unwrap();
    assert!(rest.starts_with("<title id=\"") && rest.contains("</title><desc id=\""), "{rest:.80}");
    for needed in [" role=\"img\"", " viewBox=\"0 0 720 ", " width=\"720\"", " height=\"", "class=\"chart-svg\""] {
        assert!(start.contains(needed), "{needed} in {start}");
    }
    let ids = attributes(svg, "id");
    assert_eq!(attributes(svg, "aria-labelledby"), [ids.join(" ")]);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    // Names of elements and attributes, without the quoted values.
    let tags = svg.split('<').filter_map(|t| t.split_once('>')).map(|(tag, _)| format!("<{tag} "));
    let bare: String = tags.flat_map(|t| t.split('"').step_by(2).map(String::from).collect::<Vec<_>>()).collect();
    for never in [" style=", "<script", " on", "<use", "href", " stroke=", "<foreignObject", "<image"] {
        assert!(!bare.contains(never), "{never}");
    }
    for name in ["x", "y", "d", "cx", "r", "width", "data-value"] {
        assert!(attributes(svg, name).iter().all(|v| !v.contains("NaN") && !v.contains("inf")), "{name}");
    }
    assert!(attributes(svg, "fill").iter().all(|v| *v == "none"));
}

fn assert_one_decimal(svg: &str) {
    for name in ["x", "y", "width", "height", "cx", "cy", "r", "d", "viewBox"] {
        for value in attributes(svg, name) {
            for number in value.split(|c: char| !c.is_ascii_digit() && c != '.') {
                let decimals = number.split_once('.').map_or(0, |(_, after)| after.len());
                assert!(decimals <= 1 && !number.ends_with('.'), "{name}=\"{value}\"");
            }
        }
    }
}

#[test]
fn every_picture_has_a_title_a_description_and_nothing_that_the_policy_forbids() {
    for (_, svg) in pictures() {
        assert_structure(&svg);
        assert_one_decimal(&svg);
    }
}

#[test]
fn a_picture_without_data_says_so() {
    for svg in empty_pictures() {
        assert_structure(&svg);
        assert_one_decimal(&svg);
        assert!(svg.contains("class=\"empty\""), "{svg}");
    }
}

#[test]
fn texts_are_twelve_pixels_or_more() {
    for (name, svg) in pictures() {
        for size in attributes(&svg, "font-size") {
            assert!(size.parse::<f64>().unwrap() >= 12.0, "{name}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(pictures(), pictures());
    assert_eq!(card(&preview()).unwrap(), card(&preview()).unwrap());
}

#[test]
fn numbers_carry_their_id_and_value() {
    let svg = intervals(&interval()).unwrap();
    assert!(svg.contains("data-n=\"board.example.m0.rate\" data-value=\"0.61\""), "{svg}");
    assert_eq!(attributes(&svg, "data-n").len(), 6);
}

#[test]
fn a_name_that_is_shortened_stands_whole_in_the_description() {
    let svg = intervals(&interval()).unwrap();
    let desc = svg.split("<desc").nth(1).unwrap().split("</desc>").next().unwrap();
    assert!(desc.contains("gpt-oss-120b (low effort), quantised to four bits"), "{desc}");
    assert!(svg.contains('…'));
}

#[test]
fn hostile_words_stay_words() {
    let evil = "\"><script>alert(1)</script>&\u{202e}\u{0}\u{1b}[31m\n' onload=x";
    let label = Label { text: evil.into(), number: Some((evil.into(), 0.5)) };
    let mut plot = interval();
    plot.head = Head { id: evil.into(), title: evil.into(), desc: evil.into() };
    plot.rows[0].name = evil.into();
    plot.rows[0].value = label.clone();
    plot.rows[6].missing = evil.into();
    let mut diagram = layers();
    diagram.nodes[0] = Node { id: "tasks".into(), label: evil.into(), note: evil.into(), layer: 0, class: evil.into() };
    diagram.edges[0].label = evil.into();
    let mut lanes = field_of(5);
    lanes.lanes[0].name = evil.into();
    lanes.lanes[0].count = label;
    for svg in [intervals(&plot).unwrap(), flow(&diagram).unwrap(), field(&lanes).unwrap().svg] {
        assert_structure(&svg);
        assert!(!svg.contains('\u{202e}') && !svg.contains("<script"));
    }
}

#[test]
fn values_that_are_no_numbers_are_left_out() {
    let mut plot = interval();
    plot.rows[0].estimate = Some(f64::NAN);
    plot.rows[1].ranges[0] = Some(Range { lo: f64::NEG_INFINITY, hi: f64::NAN });
    plot.rows[2].value = Label::number("?", "x", f64::INFINITY);
    let mut points = scatter_plot();
    points.points[0].cost = Cost::Known(f64::NAN);
    points.points[1].cost = Cost::Known(-1.0);
    points.points[2].rate = Some(f64::NAN);
    let mut lines = step_plot();
    lines.series[0].rises[3] = (f64::NAN, f64::NAN);
    lines.series[1].until = f64::INFINITY;
    for svg in [intervals(&plot).unwrap(), scatter(&points).unwrap(), steps(&lines).unwrap()] {
        assert_structure(&svg);
    }
}

#[test]
fn one_item_and_zero_can_be_drawn() {
    let mut plot = interval();
    plot.rows = vec![plot.rows.remove(5)];
    plot.zoom = true;
    let mut one = curve();
    one.series.truncate(1);
    one.series[0].points.truncate(1);
    let mut point = scatter_plot();
    point.points.truncate(1);
    let mut line = step_plot();
    line.series = vec![line.series.remove(5)];
    let mut month = month_plot();
    month.months.truncate(1);
    for svg in [
        intervals(&plot).unwrap(),
        curves(&one).unwrap(),
        scatter(&point).unwrap(),
        steps(&line).unwrap(),
        months(&month).unwrap(),
    ] {
        assert_structure(&svg);
        assert_one_decimal(&svg);
    }
}

#[test]
fn a_hundred_models_stay_within_the_budget_of_a_page() {
    let mut plot = interval();
    let rows = plot.rows.clone();
    plot.rows = (0..100)
        .map(|i| IntervalRow { name: format!("model {i} {}", rows[i % 7].name), ..rows[i % 7].clone() })
        .collect();
    let svg = intervals(&plot).unwrap();
    assert_structure(&svg);
    assert!(svg.len() < 100_000, "{}", svg.len());
}

#[test]
fn a_hundred_thousand_marks_are_a_dozen_elements() {
    let mut all = field_of(100_000);
    all.lanes.truncate(1);
    all.key = false;
    let picture = field(&all).unwrap();
    assert_eq!(picture.per_mark, 1);
    let elements = picture.svg.matches('<').count() - picture.svg.matches("</").count();
    assert!(elements <= 12, "{elements}");
    assert_eq!(picture.svg.matches('m').count().min(99_000), 99_000, "one step a mark");
    assert!(picture.svg.len() < 2_000_000, "{}", picture.svg.len());
}

#[test]
fn above_a_hundred_thousand_a_mark_stands_for_several_and_the_caller_learns_it() {
    let mut all = field_of(250_000);
    all.lanes.truncate(1);
    let rare = Mark { outcome: Outcome::Observed, excluded: false };
    all.lanes[0].marks.push(rare);
    let picture = field(&all).unwrap();
    assert_eq!(picture.per_mark, 5);
    assert!(picture.svg.contains("mark o-observed"), "a kind that occurs once is still shown");
}

#[test]
fn the_frontier_is_what_no_other_point_beats() {
    let point = |cost, rate| ScatterPoint { cost, rate, ..ScatterPoint::default() };
    let points = [
        point(Cost::Known(1.0), Some(0.5)),
        point(Cost::Known(0.5), Some(0.5)),
        point(Cost::Known(2.0), Some(0.9)),
        point(Cost::Unknown, Some(1.0)),
        point(Cost::Free, Some(0.1)),
        point(Cost::Known(0.2), Some(0.1)),
        point(Cost::Known(0.5), Some(0.5)),
        point(Cost::Known(0.1), None),
    ];
    assert_eq!(frontier(&points), [4, 1, 6, 2]);
    assert_eq!(frontier(&[]), Vec::<usize>::new());
}

#[test]
fn a_free_model_is_never_at_zero_of_a_logarithmic_axis() {
    let svg = scatter(&scatter_plot()).unwrap();
    assert!(svg.contains(">free<") && svg.contains(">cost unknown<"));
    assert_eq!(svg.matches("class=\"strip\"").count(), 2);
    assert!(!svg.contains(">$0<"));
}

#[test]
fn an_arrow_to_nowhere_is_left_out() {
    let mut diagram = gate();
    let before = flow(&diagram).unwrap();
    diagram.edges.push(Edge { from: "task".into(), to: "nowhere".into(), label: "lost".into() });
    assert_eq!(flow(&diagram).unwrap(), before);
}

#[test]
fn the_link_preview_is_a_small_png_of_the_right_size() {
    for card_data in [preview(), Card::default(), Card { title: "漢字 \u{202e}<b>".repeat(40), ..preview() }] {
        let png = card(&card_data).unwrap();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 1200);
        assert_eq!(u32::from_be_bytes(png[20..24].try_into().unwrap()), 630);
        assert!(png.len() <= 300_000, "{}", png.len());
    }
}

#[test]
fn the_examples_look_as_they_did() {
    insta::with_settings!({ snapshot_path => "golden/charts", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (name, svg) in pictures() {
            insta::assert_snapshot!(name, svg.replace("><", ">\n<"));
        }
    });
}
