// What a built site holds, read from its folder: pages, their kinds, their addresses, the rules of its _headers file.

import { statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Every file below `folder`, as paths with forward slashes, sorted. */
export async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join("/"))
    .sort();
}

/** The address at which Cloudflare Pages serves an HTML file without a redirect. */
export function addressOf(file) {
  if (file === "index.html") return "/";
  if (file.endsWith("/index.html")) return `/${file.slice(0, -"index.html".length)}`;
  return file.endsWith(".html") ? `/${file.slice(0, -".html".length)}` : `/${file}`;
}

/** The file that stands behind an address, or undefined. */
export function fileAt(folder, address) {
  const path = decodeURIComponent(address).slice(1);
  const tries = path === "" || path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
  return tries.find((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.isFile());
}

function kindOf(html) {
  return /<html[^>]*\sdata-kind="([^"]+)"/.exec(html)?.[1];
}

/** All pages: file, address, kind, html; and whether the sitemap lists them. */
export async function pagesOf(folder) {
  const sitemap = await readFile(join(folder, "sitemap.xml"), "utf8");
  const listed = new Set(
    [...sitemap.matchAll(/<loc>\s*([^<\s]+)\s*<\/loc>/g)].map(([, loc]) => new URL(loc, "http://site.invalid/").pathname),
  );
  const pages = [];
  for (const file of (await filesOf(folder)).filter((name) => name.endsWith(".html"))) {
    const html = await readFile(join(folder, file), "utf8");
    const address = encodeURI(addressOf(file));
    pages.push({ file, address, kind: kindOf(html), html, listed: listed.has(address) });
    listed.delete(address);
  }
  return { pages, unknown: [...listed] };
}

/** One page of every kind: the largest, since it holds the most of what its kind can show. */
export function onePageOfEachKind(pages) {
  const largest = new Map();
  for (const page of pages) {
    const best = largest.get(page.kind);
    if (page.kind && (!best || page.html.length > best.html.length)) largest.set(page.kind, page);
  }
  return [...largest.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** The rules of a _headers file: [{pattern, set: [[name, value]], unset: [name]}]. */
export function headerRules(text) {
  const rules = [];
  for (const line of text.split(/\r?\n/)) {
    const words = line.trim();
    if (words === "" || words.startsWith("#")) continue;
    if (!/^\s/.test(line)) rules.push({ pattern: words, set: [], unset: [] });
    else if (words.startsWith("!")) rules.at(-1).unset.push(words.slice(1).trim().toLowerCase());
    else {
      const colon = words.indexOf(":");
      rules.at(-1).set.push([words.slice(0, colon).trim().toLowerCase(), words.slice(colon + 1).trim()]);
    }
  }
  return rules;
}

function matches(pattern, address) {
  const parts = pattern.split(/(\*|:[A-Za-z]\w*)/).map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`).test(address);
}

/** Headers that the rules ask for at an address; two rules that set one header are joined, as Pages does. */
export function headersFor(rules, address) {
  const wanted = new Map();
  for (const rule of rules.filter(({ pattern }) => matches(pattern, address))) {
    for (const name of rule.unset) wanted.delete(name);
    for (const [name, value] of rule.set) wanted.set(name, wanted.has(name) ? `${wanted.get(name)}, ${value}` : value);
  }
  return wanted;
}

/** Whether a folder looks like a built site; the reason if it does not. */
export async function whyNotASite(folder) {
  for (const file of ["index.html", "404.html", "sitemap.xml", "_headers", "data/numbers.json", "data/manifest.json"]) {
    const found = await stat(join(folder, file)).catch(() => undefined);
    if (!found?.isFile()) return `${folder} has no ${file}`;
  }
  return undefined;
}
