// The controls that the site's script adds: sorting, filtering and regrouping, by keyboard alone, with the state in the
// address and back again after a reload.

import { withPage } from "./chromium.mjs";

const TABS = 400;

/** Press Tab until the focused element fits `selector`; false if the page ends first. */
async function tabTo(page, selector) {
  await page.evaluate(() => document.activeElement?.blur());
  for (let press = 0; press < TABS; press += 1) {
    await page.keyboard.press("Tab");
    const [fits, over] = await page.evaluate(
      (wanted) => [document.activeElement.matches(wanted), document.activeElement === document.body], selector);
    if (fits) return true;
    if (over && press > 0) return false;
  }
  return false;
}

const state = (page) => page.evaluate(() => location.search + location.hash);

/** The sorted column of the table that holds the focus (or is named): its direction and what stands in it. */
function sorting(id) {
  const table = id === null ? document.activeElement.closest("table") : document.getElementById(id);
  const head = [...table.tHead.rows].at(-1);
  const sorted = [...head.cells].findIndex((cell) => ["ascending", "descending"].includes(cell.getAttribute("aria-sort")));
  const rows = [...table.tBodies].map((body) => [...body.rows].filter((row) => !row.matches(".group") && row.checkVisibility()));
  const key = (row) => {
    const cell = row.cells[sorted];
    return cell?.dataset.sort ?? cell?.textContent.trim() ?? "";
  };
  return {
    id: table.id,
    count: [...head.cells].filter((cell) => cell.hasAttribute("aria-sort") && cell.getAttribute("aria-sort") !== "none").length,
    direction: head.cells[sorted]?.getAttribute("aria-sort") ?? null,
    keys: rows.map((body) => body.map(key)),
    texts: rows.map((body) => body.map((row) => row.textContent)),
  };
}

function outOfOrder({ keys, direction }) {
  const problems = [];
  for (const body of keys) {
    const numbers = body.filter((key) => key !== "" && key !== "no data").map(Number);
    if (numbers.some(Number.isNaN)) continue; // words: their order is the script's own collation
    const turn = direction === "ascending" ? 1 : -1;
    const wrong = numbers.findIndex((value, place) => place > 0 && (value - numbers[place - 1]) * turn < 0);
    if (wrong > 0) problems.push(`${direction}: ${numbers[wrong - 1]} stands before ${numbers[wrong]}`);
  }
  return problems;
}

async function sortingProblems(page) {
  if (!(await tabTo(page, "table[data-sortable] thead button"))) return ["Tab reaches no button in a sortable table's head"];
  const before = await state(page);
  await page.keyboard.press("Enter");
  const first = await page.evaluate(sorting, null);
  const problems = outOfOrder(first);
  if (first.count !== 1) problems.push(`${first.count} columns have aria-sort after one press of Enter`);
  if ((await state(page)) === before) problems.push("the address did not change after sorting");
  await page.keyboard.press("Space");
  const second = await page.evaluate(sorting, first.id);
  problems.push(...outOfOrder(second));
  if (second.direction === first.direction) problems.push(`Space left the direction ${first.direction}`);
  const address = await state(page);
  await page.reload({ waitUntil: "load" });
  const third = await page.evaluate(sorting, first.id);
  if (third.direction !== second.direction) problems.push(`${address}: aria-sort is ${third.direction} after a reload`);
  if (JSON.stringify(third.texts) !== JSON.stringify(second.texts)) problems.push(`${address}: other rows or order after a reload`);
  return problems;
}

/** Rows of the table that follows the focused filter (or is named), and a word that keeps some of them and drops others. */
function filterable(id) {
  const after = (table) => document.activeElement.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING;
  const table = id === null ? [...document.querySelectorAll("main table")].find(after) : document.getElementById(id);
  const texts = [...table.tBodies].flatMap((body) => [...body.rows])
    .filter((row) => !row.matches(".group") && row.checkVisibility()).map((row) => row.textContent.toLowerCase());
  const keeps = (word) => texts.filter((text) => text.includes(word)).length;
  const words = texts.join(" ").split(/\s+/).filter((word) => word.length > 2);
  return { id: table.id, shown: texts.length, word: words.find((word) => keeps(word) < texts.length) };
}

async function filteringProblems(page, selector) {
  if (!(await tabTo(page, selector))) return [`Tab does not reach ${selector}`];
  const before = await page.evaluate(filterable, null);
  const start = await state(page);
  if (!before.word) return [`no word tells the ${before.shown} rows of ${before.id} apart`];
  await page.keyboard.type(before.word);
  await page.waitForTimeout(400);
  const after = await page.evaluate(filterable, before.id);
  const problems = [];
  if (after.shown === 0 || after.shown >= before.shown) problems.push(`"${before.word}" left ${after.shown} of ${before.shown} rows`);
  const address = await state(page);
  if (address === start) problems.push("the address did not change after filtering");
  await page.reload({ waitUntil: "load" });
  const again = await page.evaluate(filterable, before.id);
  if (again.shown !== after.shown) problems.push(`${address}: ${again.shown} rows after a reload, ${after.shown} before it`);
  return problems;
}

function grouping() {
  const field = document.querySelector("section.field");
  const shown = [...field.querySelectorAll("[data-group]")].filter((figure) => figure.checkVisibility());
  return { checked: field.querySelector("input[type=radio]:checked")?.value, shown: shown.map((figure) => figure.dataset.group) };
}

async function regroupingProblems(page) {
  if (!(await tabTo(page, "section.field input[type=radio]"))) return ["Tab does not reach the choice of groups"];
  const first = await page.evaluate(grouping);
  await page.keyboard.press("ArrowRight");
  const second = await page.evaluate(grouping);
  const problems = [];
  if (second.checked === first.checked) problems.push("the arrow key did not choose another group");
  if (second.shown.length !== 1 || second.shown[0] !== second.checked) {
    problems.push(`${second.checked} is chosen and ${second.shown.join(", ") || "nothing"} is shown`);
  }
  const address = await state(page);
  if (!new URLSearchParams(address.split("#")[0]).get("group")) problems.push(`no group= in the address: "${address}"`);
  await page.reload({ waitUntil: "load" });
  const third = await page.evaluate(grouping);
  if (JSON.stringify(third) !== JSON.stringify(second)) problems.push(`${address}: ${third.checked} after a reload`);
  return problems;
}

const EVIDENCE = '[href^="#evidence-"]';

/** A link into a folded part opens it; with every part open a narrow page is no wider than its window. */
async function unfoldingProblems(page) {
  if (!(await tabTo(page, EVIDENCE))) return ["Tab reaches no link to evidence"];
  await page.keyboard.press("Enter");
  const problems = [];
  await page.waitForFunction(() => document.querySelector(":target")?.checkVisibility(), undefined, { timeout: 3000 }).catch(() => problems.push("Enter on a link to evidence does not show it"));
  await page.reload({ waitUntil: "load" });
  // The browser goes to the address's part when the page is there, not before.
  await page.waitForFunction(() => document.querySelector(":target")?.checkVisibility(), undefined, { timeout: 3000 }).catch(() => problems.push("the evidence is folded after a reload of its address"));
  await page.setViewportSize({ width: 320, height: 900 });
  const wide = await page.evaluate(() => {
    for (const part of document.querySelectorAll("details")) part.open = true;
    return document.documentElement.scrollWidth;
  });
  if (wide > 320) problems.push(`with every part open the page is ${wide} px wide in 320 px`);
  return problems;
}

const FILTER = "main input[type=search], main input[data-filter]";

export async function useControls(report, browser, origin, pages) {
  let sorted = 0;
  let filtered = 0;
  let grouped = 0;
  for (const { kind, address } of pages) {
    const has = await withPage(browser, {}, origin + address, (page) => page.evaluate((filter) => ({
      sort: document.querySelector("table[data-sortable]") !== null,
      filter: document.querySelector(filter) !== null,
      group: document.querySelector("section.field[data-groups]") !== null,
      evidence: document.querySelector('[href^="#evidence-"]') !== null,
    }), FILTER));
    const look = (problems, ...rest) => () => withPage(browser, {}, origin + address, (page) => problems(page, ...rest));
    if (has.sort) sorted += await report.check(`sorts by keyboard, kept in the address: ${kind}`, look(sortingProblems));
    if (has.filter) filtered += await report.check(`filters by keyboard, kept in the address: ${kind}`, look(filteringProblems, FILTER));
    if (has.evidence) await report.check(`opens evidence by keyboard: ${kind}`, look(unfoldingProblems));
    if (has.group) grouped += await report.check(`regroups by keyboard, kept in the address: ${kind}`, look(regroupingProblems));
  }
  await report.check("some page sorts, some page filters, some page regroups", async () =>
    [[sorted, "sorts"], [filtered, "filters"], [grouped, "regroups"]].filter(([count]) => count === 0).map(([, what]) => `no page ${what}`));
}
