// The page "Check the work": reads the raw files, recomputes every number, and holds every page against the result.
import * as recompute from "./recompute.js";

const root = document.getElementById("verify");
const parameters = new URLSearchParams(location.search);
const onlyPage = parameters.get("page");
const MANY = 20000; // numbers above which the table shows failures and a filter
const ROWS = 400; // rows built before the page may breathe
const READERS = 6; // pages fetched at a time

const address = (path) => new URL((root.dataset.root ?? "") + path, location.href);

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// ---- breathing and progress

const breath = new MessageChannel();
const waiting = [];
breath.port1.onmessage = () => waiting.shift()?.();
let lastBreath = performance.now();
async function breathe() {
  if (performance.now() - lastBreath < 25) return;
  await new Promise((go) => {
    waiting.push(go);
    breath.port2.postMessage(null);
  });
  lastBreath = performance.now();
}

const status = root.querySelector(".verify-status") ?? root.appendChild(make("p", { class: "verify-status", role: "status" }));
const bar = make("progress", { max: "1", value: "0", "aria-label": "Progress of the check", hidden: "" });
let lastSaid = 0;
function say(text, share = null, now = false) {
  if (share !== null) bar.value = share;
  if (!now && performance.now() - lastSaid < 700) return; // a screen reader reads each of these aloud
  lastSaid = performance.now();
  status.textContent = text;
}

// ---- reading

async function get(url) {
  const response = await fetch(url, { cache: "no-cache", credentials: "omit" });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return response;
}

const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, "0")).join("");

// Each file is read, digested, parsed into the compact table and let go.
async function readRaw(manifest, report) {
  const store = recompute.createStore();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const loose = new TextDecoder();
  const kinds = (file) => (file.path.endsWith("/run.json") ? 0 : 1);
  const files = [...manifest.files].sort((a, b) => kinds(a) - kinds(b) || (a.path < b.path ? -1 : 1));
  for (const [i, file] of files.entries()) {
    say(`Reading raw file ${i + 1} of ${files.length}: ${file.path}`, (0.4 * i) / files.length);
    try {
      const bytes = await (await get(address(file.path))).arrayBuffer();
      await checkBytes(file, bytes, report);
      const name = file.path.slice(file.path.lastIndexOf("/") + 1);
      // A patch may hold bytes of any kind; what is no text of it does not matter here.
      const lenient = recompute.isArtifact(file.path) ? (["report.json", "patch.diff"].includes(name) ? loose.decode(bytes) : "") : null;
      recompute.addFile(store, file, lenient ?? decoder.decode(bytes));
    } catch (error) {
      report.fail(`file ${file.path}`, "", "", "", `could not be read: ${error.message}`);
    }
    await breathe();
  }
  return store;
}

async function checkBytes(file, bytes, report) {
  report.files++;
  if (file.bytes !== undefined && bytes.byteLength !== file.bytes) report.fail(`file ${file.path}`, "", `${file.bytes} bytes`, `${bytes.byteLength} bytes`, "the size differs");
  if (!globalThis.crypto?.subtle) return;
  const digest = hex(await crypto.subtle.digest("SHA-256", bytes));
  if (digest === file.sha256) report.digests++;
  else report.fail(`file ${file.path}`, "", file.sha256, digest, "the SHA-256 differs");
}

/** Pages of the sitemap as addresses on this origin; a sitemap written for another address is read here, and says so. */
async function listPages(report) {
  if (onlyPage !== null) {
    const url = address(onlyPage);
    if (url.origin !== location.origin) throw new Error(`${onlyPage} is not a page of this site`);
    return [{ name: onlyPage, url }];
  }
  const text = await (await get(address("sitemap.xml"))).text();
  const found = new DOMParser().parseFromString(text, "application/xml").getElementsByTagName("loc");
  const urls = Array.from(found, (loc) => new URL(loc.textContent.trim(), location.href));
  const home = address("").pathname.replace(/[^/]*$/, "");
  const folders = urls.map((url) => url.pathname.replace(/[^/]*$/, "")).sort((a, b) => a.length - b.length);
  const base = folders[0] ?? "/";
  const pages = [];
  for (const url of urls) {
    if (url.origin === location.origin) pages.push({ name: url.pathname, url });
    else if (!url.pathname.startsWith(base)) report.fail(`page ${url.href}`, url.href, "", "", "is on another site and cannot be read here");
    else pages.push({ name: url.pathname, url: new URL(home + url.pathname.slice(base.length), location.origin) });
  }
  report.elsewhere = urls.filter((url) => url.origin !== location.origin).length;
  return pages.filter((page) => page.url.origin === location.origin);
}

async function readPage(page) {
  try {
    return await (await get(page.url)).text();
  } catch (error) {
    // Some hosts serve x.html at /x, others do not.
    if (/\.[a-z]+$|\/$/.test(page.url.pathname)) throw error;
    return (await get(new URL(page.url.pathname + ".html", page.url))).text();
  }
}

async function readPages(ctx, pages, report) {
  const queue = pages.map((page, i) => [i, page]);
  const one = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [i, page] = next;
      say(`Comparing page ${i + 1} of ${pages.length}: ${page.name}`, 0.7 + (0.3 * i) / pages.length);
      try {
        await comparePage(ctx, page, await readPage(page), report);
        report.pages++;
      } catch (error) {
        report.fail(`page ${page.name}`, page.name, "", "", `could not be read: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: READERS }, one));
}

// A base that begins with "+" goes on from the base around it.
function baseOf(node) {
  const around = node.closest("[data-base]");
  const base = around?.dataset.base ?? "";
  return base.startsWith("+") && around.parentElement ? baseOf(around.parentElement) + base.slice(1) : base;
}

// An id that begins with "/" goes on from the data-base of what it stands in: a row of the table of attempts.
function idOf(node) {
  const id = node.getAttribute("data-n");
  return id?.startsWith("/") ? baseOf(node) + id : id;
}

// The text of a task is its author's: its numbers are those of the published Markdown, and no other page has such a block.
function compareStatements(ctx, page, parsed, report) {
  const entities = (text) => new DOMParser().parseFromString(text.replaceAll("<", "&lt;"), "text/html").body.textContent;
  const blocks = parsed.querySelectorAll(".statement");
  if (blocks.length > 1) report.fail(`page ${page.name}`, page.name, "", "", "quotes more than one statement");
  for (const block of blocks) {
    const texts = [];
    const walk = (node) => {
      // Code is one text, whatever its colours.
      if (node.nodeType === Node.TEXT_NODE || node.localName === "pre") texts.push(node.textContent);
      else node.childNodes.forEach(walk);
    };
    walk(block);
    const why = recompute.checkStatement(ctx, baseOf(block), texts, entities);
    if (why) report.fail(`statement of ${page.name}`, page.name, "", "", why);
  }
}

// A state is a word, and as much a claim as a number.
function compareStates(ctx, page, parsed, report) {
  for (const mark of parsed.querySelectorAll(".health-log .pill")) {
    const why = recompute.checkState(ctx, baseOf(mark), mark.textContent);
    if (why) report.fail(`state of ${page.name}`, page.name, mark.textContent, "", why);
  }
}

// Patches are quoted from published files; turns and outputs are held against theirs by the command alone.
async function compareQuotes(ctx, page, parsed, report) {
  for (const block of parsed.querySelectorAll("[data-of]")) {
    const path = block.getAttribute("data-of");
    try {
      const bytes = ctx.store.artifacts.has(path) ? await (await get(address(path))).arrayBuffer() : new ArrayBuffer(0);
      const why = recompute.checkQuoted(ctx.store, path, block.textContent, bytes);
      if (why) report.fail(`file ${path}`, page.name, "", "", why);
    } catch (error) {
      report.fail(`file ${path}`, page.name, "", "", `could not be read: ${error.message}`);
    }
  }
}

async function comparePage(ctx, page, html, report) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const { textContent } of parsed.querySelectorAll("footer .digest")) {
    if (textContent !== report.digest) report.fail(`page ${page.name}`, page.name, textContent, report.digest, "the digest of the data differs");
  }
  compareStatements(ctx, page, parsed, report);
  compareStates(ctx, page, parsed, report);
  await compareQuotes(ctx, page, parsed, report);
  const marked = parsed.querySelectorAll("[data-n], data");
  for (const node of marked) {
    const id = idOf(node);
    const attribute = node.getAttribute(node.localName === "data" ? "value" : "data-value");
    const text = node.textContent;
    report.mentions++;
    if (id === null) {
      report.fail("a number without an id", page.name, text, "", "has no id to recompute it by");
      continue;
    }
    const result = recompute.checkMention(ctx, { id, attribute, text, format: node.getAttribute("data-format") });
    report.shown.set(id, (report.shown.get(id) ?? 0) + 1);
    if (!result.ok) report.failVerdict(result, page.name);
    if (onlyPage !== null) report.listed.push(result);
    await breathe();
  }
}

// ---- the check

function newReport() {
  const report = { files: 0, digests: 0, pages: 0, mentions: 0, numbers: 0, elsewhere: 0, digest: "", failures: [], bad: new Set(), shown: new Map(), listed: [] };
  report.fail = (id, page, stated, recomputed, why) => {
    report.failures.push({ id, page, stated, recomputed, why });
    report.bad.add(id);
  };
  report.failVerdict = (v, page) => report.fail(v.id, page, written(v.stated), written(v.recomputed), v.why);
  return report;
}

const written = ({ value, text }) => (value === null ? text : `${text} (${value})`);

async function recomputeAll(ctx, numbers, report) {
  for (const [i, number] of numbers.entries()) {
    say(`Recomputing number ${i + 1} of ${numbers.length}`, 0.4 + (0.3 * i) / numbers.length);
    try {
      for (const _ of recompute.prepare(ctx, number)) await breathe();
    } catch {
      // The check below meets the same fault and reports it under the number's id.
    }
    const result = recompute.checkNumber(ctx, number);
    report.numbers++;
    if (!result.ok) report.failVerdict(result, "data/numbers.json");
    if (onlyPage === null) report.listed.push(result);
    await breathe();
  }
}

async function check() {
  const report = newReport();
  say("Reading the published numbers", 0, true);
  const [published, manifest] = await Promise.all(["data/numbers.json", "data/manifest.json"].map(async (path) => (await get(address(path))).json()));
  const store = await readRaw(manifest, report);
  const ctx = recompute.bind(store, published);
  for (const { where, what } of ctx.problems) report.fail(where, "", "", "", what);
  const digest = (report.digest = recompute.dataDigest(manifest));
  if (published.data_sha256 !== digest) report.fail("data_sha256", "data/numbers.json", String(published.data_sha256), digest, "the digest of the data differs");
  if (onlyPage === null) await recomputeAll(ctx, published.numbers, report);
  await readPages(ctx, await listPages(report), report);
  return report;
}

// ---- showing

const whole = (n) => recompute.formatValue(n, "count");

function summary(report) {
  const secure = Boolean(globalThis.crypto?.subtle);
  const rows = [
    ["Numbers recomputed from the raw lines", whole(report.numbers)],
    ["Pages read", whole(report.pages)],
    ["Numbers found on those pages", whole(report.mentions)],
    ["Raw files read", whole(report.files)],
    ["Raw files with the stated SHA-256", secure ? whole(report.digests) : "not checked"],
    ["Failures", whole(report.failures.length)],
  ];
  if (onlyPage !== null) rows.shift();
  const list = make("dl", { class: "verify-summary" });
  for (const [term, value] of rows) list.append(make("dt", {}, term), make("dd", {}, value));
  const notes = [];
  if (!secure) notes.push("Digests were not checked: this address is not a secure origin, so the browser offers no SHA-256 here. Open the page over https or on localhost.");
  if (report.elsewhere) notes.push(`The sitemap names another address for ${whole(report.elsewhere)} pages; the same paths were read here.`);
  if (onlyPage !== null) notes.push(`Only the page ${onlyPage} was compared.`);
  return [list, ...notes.map((text) => make("p", { class: "verify-note" }, text))];
}

function table(id, caption, heads) {
  const body = make("tbody");
  const head = make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))));
  const title = make("caption", { id: `${id}-caption` }, caption);
  const node = make("table", { class: "data", id }, title, head, body);
  return { body, title, wrap: make("div", { class: "table-wrap", role: "region", tabindex: "0", "aria-labelledby": `${id}-caption` }, node) };
}

const row = (first, ...rest) => make("tr", {}, make("th", { scope: "row" }, first), ...rest.map((text) => make("td", {}, text)));

async function fill(body, items, build) {
  for (let i = 0; i < items.length; i += ROWS) {
    const part = document.createDocumentFragment();
    for (const item of items.slice(i, i + ROWS)) part.append(build(item));
    body.append(part);
    await new Promise((go) => setTimeout(go));
  }
}

async function showFailures(report, place) {
  if (!report.failures.length) return;
  const { wrap, body } = table("verify-failures", `Failures: ${whole(report.failures.length)}`, ["Number", "Page", "Stated", "Recomputed", "Why"]);
  place.append(wrap);
  await fill(body, report.failures, (f) => row(f.id, f.page, f.stated, f.recomputed, f.why));
}

function numberRow(report, v) {
  const good = v.ok && !report.bad.has(v.id);
  const out = row(v.id, v.stated.text ?? "", v.recomputed.text, whole(report.shown.get(v.id) ?? 0), good ? "verified" : "differs");
  out.lastChild.className = good ? "state-ok" : "state-bad";
  return out;
}

async function showNumbers(report, place) {
  const heads = ["Number", "Stated", "Recomputed", "Times shown", "Mark"];
  const all = report.listed;
  const what = onlyPage === null ? "Every number" : `Numbers of ${onlyPage}`;
  const { wrap, body, title } = table("verify-numbers", `${what}: ${whole(all.length)}`, heads);
  const build = (v) => numberRow(report, v);
  if (all.length < MANY) {
    place.append(wrap);
    return fill(body, all, build);
  }
  const field = make("input", { type: "search", id: "verify-filter" });
  const note = make("p", { role: "status" }, "Type a part of an id to list the numbers that hold it.");
  place.append(make("p", {}, make("label", { for: "verify-filter" }, "Find numbers by id "), field), note, wrap);
  title.textContent = `${what} that the filter finds, of ${whole(all.length)}`;
  field.addEventListener("input", () => {
    const text = field.value.trim();
    const found = text ? all.filter((v) => v.id.includes(text)) : [];
    body.replaceChildren(...found.slice(0, ROWS).map(build));
    note.textContent = `${whole(found.length)} found` + (found.length > ROWS ? `, the first ${whole(ROWS)} listed` : "");
  });
}

// ---- start

const button = make("button", { type: "button" }, onlyPage === null ? "Check every number" : `Check the numbers of ${onlyPage}`);
const results = make("div", { class: "verify-results" });
status.before(button);
status.after(bar, results);

async function start() {
  if (button.disabled) return;
  button.disabled = true;
  bar.hidden = false;
  delete document.documentElement.dataset.verify;
  results.replaceChildren();
  let verdict = "failed";
  try {
    const report = await check();
    verdict = report.failures.length ? "failed" : "ok";
    const failed = report.failures.length;
    say(failed ? `${whole(failed)} failures: what is stated does not follow from the raw lines.` : "Every number follows from the raw lines.", 1, true);
    results.append(...summary(report));
    await showFailures(report, results);
    await showNumbers(report, results);
  } catch (error) {
    verdict = "failed";
    say(`The check could not be finished: ${error.message}`, null, true);
  }
  bar.hidden = true;
  button.disabled = false;
  document.documentElement.dataset.verify = verdict;
}

button.addEventListener("click", start);
if (parameters.has("run")) start();
