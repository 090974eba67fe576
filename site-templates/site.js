// Comforts: sorting, filtering, regrouping, theme. Nothing needs it to be read.
// State in the address: ?sort=TABLE:COLUMN:asc, ?find=TABLE:TEXT, ?group=repo.
(() => {
  "use strict";
  const page = document.documentElement;
  const every = (css, run, from = document) => from.querySelectorAll(css).forEach(run);

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    node.append(...children);
    return node;
  }

  // ---- address
  const query = () => new URLSearchParams(location.search);
  const kept = (name, own) => query().getAll(name).find((v) => v.startsWith(own))?.slice(own.length) ?? "";
  function keep(name, own, value) {
    const q = query();
    const rest = q.getAll(name).filter((v) => !v.startsWith(own));
    q.delete(name);
    if (value) rest.push(own + value);
    rest.forEach((v) => q.append(name, v));
    history.replaceState(null, "", `${location.pathname}?${q}${location.hash}`.replace(/\?(?=#|$)/, ""));
  }

  // ---- theme
  let store;
  try {
    store = localStorage;
  } catch {} // storage is off: the choice lasts as long as the page
  function paint(theme) {
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
    else delete page.dataset.theme;
  }
  paint(store?.getItem("theme"));

  function themes() {
    const button = make("button", { type: "button", class: "theme" });
    const name = () => (button.textContent = "Theme: " + (page.dataset.theme ?? "auto"));
    button.onclick = () => {
      const theme = { light: "dark", dark: "auto" }[page.dataset.theme] ?? "light";
      paint(theme);
      name();
      store?.setItem("theme", theme);
    };
    name();
    document.querySelector(".site-head")?.append(button);
  }

  const members = (body) => [...body.rows].filter((r) => !r.classList.contains("group"));

  // ---- sorting: no data comes last both ways
  function keyOf(row, column) {
    const cell = row.cells[column];
    const given = cell?.dataset.sort ?? cell?.querySelector("data")?.value;
    const text = (given ?? cell?.textContent ?? "").trim();
    if (text === "" || text === "no data") return null;
    return given === undefined || isNaN(text) ? text : Number(text);
  }
  function compare(a, b, way) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return way * (a - b);
    return way * String(a).localeCompare(b, "en", { numeric: true });
  }
  function sort(table, heads, column, order) {
    heads.forEach((th, i) => (i === column ? th.setAttribute("aria-sort", order + "ending") : th.removeAttribute("aria-sort")));
    for (const body of table.tBodies) {
      const rows = members(body);
      const keys = new Map(rows.map((r) => [r, keyOf(r, column)]));
      rows.sort((a, b) => compare(keys.get(a), keys.get(b), order === "asc" ? 1 : -1));
      body.append(...rows);
    }
  }
  function sortable(table) {
    const heads = [...(table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? [])];
    const own = table.id + ":";
    heads.forEach((th, i) => {
      if (th.colSpan > 1 || !th.textContent.trim()) return;
      const button = make("button", { type: "button", class: "sort" }, ...th.childNodes);
      th.append(button);
      button.onclick = () => {
        const now = th.getAttribute("aria-sort") ?? (th.classList.contains("num") ? "ascending" : "descending");
        const order = now === "ascending" ? "desc" : "asc";
        sort(table, heads, i, order);
        keep("sort", own, `${i}:${order}`);
      };
    });
    const [column, order] = kept("sort", own).split(":");
    if (heads[column]?.querySelector(".sort") && /^(a|de)sc$/.test(order)) sort(table, heads, Number(column), order);
  }

  // ---- filtering
  function filterable(table) {
    const id = table.id + "-find";
    const own = table.id + ":";
    const field = make("input", { type: "search", id });
    const told = make("span", { role: "status" });
    const label = make("label", { for: id }, (table.dataset.filter || "Find rows") + " ");
    function apply() {
      const text = field.value.trim().toLowerCase();
      let [left, all] = [0, 0];
      for (const body of table.tBodies) {
        const rows = members(body);
        rows.forEach((r) => (r.hidden = !r.textContent.toLowerCase().includes(text)));
        const shown = rows.filter((r) => !r.hidden).length;
        body.hidden = text !== "" && !shown;
        left += shown;
        all += rows.length;
      }
      told.textContent = text && ` ${left} of ${all} rows`;
    }
    field.value = kept("find", own);
    field.oninput = () => {
      apply();
      keep("find", own, field.value.trim());
    };
    (table.closest(".table-wrap") ?? table).before(make("p", { class: "find" }, label, field, told));
    apply();
  }

  // ---- grouping
  const GROUPS = { repo: "repository" };
  function regroup(section, index) {
    const names = section.dataset.groups.split(/\s+/).filter(Boolean);
    const show = (name) => every("[data-group]", (f) => (f.hidden = f.dataset.group !== name), section);
    const asked = kept("group", "");
    const first = names.includes(asked) ? asked : names[0];
    const set = make("fieldset", { class: "groups" }, make("legend", {}, "Group attempts by"));
    for (const name of names) {
      const radio = make("input", { type: "radio", name: "group-" + index, value: name });
      radio.checked = name === first;
      radio.onchange = () => {
        show(name);
        keep("group", "", name);
      };
      set.append(make("label", {}, radio, " " + (GROUPS[name] ?? name)));
    }
    section.querySelector("[data-group]")?.before(set);
    show(first);
  }

  // ---- folded parts: a link into one opens it
  function unfold() {
    // While the page loads, the browser has not gone to the address's part yet: it is found by its name.
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      // An address that is no text names nothing.
    }
    const target = document.querySelector(":target") ?? document.getElementById(name);
    let folded = target?.closest("details:not([open])");
    if (!folded) return;
    for (; folded; folded = target.closest("details:not([open])")) folded.open = true;
    target.scrollIntoView();
  }

  function ready() {
    themes();
    unfold();
    addEventListener("hashchange", unfold);
    every("table[data-sortable][id]", sortable);
    every("table[data-filter][id]", filterable);
    every("section.field[data-groups]", regroup);
  }
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", ready);
  else ready();
})();
