// What the host does with the site: headers, a real 404, links without redirects, checksums, the sitemap.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileAt, filesOf, headerRules, headersFor, onePageOfEachKind } from "./site.mjs";

const AT_ONCE = 8;
const get = (origin, address) => fetch(origin + address, { redirect: "manual" });

async function inParallel(items, work) {
  const queue = [...items];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  }));
}

async function headerProblems(folder, origin, addresses) {
  const rules = headerRules(await readFile(join(folder, "_headers"), "utf8"));
  const problems = [];
  await inParallel(addresses, async (address) => {
    const reply = await get(origin, address);
    await reply.arrayBuffer();
    if (reply.status !== 200) problems.push(`${address}: status ${reply.status}`);
    for (const [name, value] of headersFor(rules, address)) {
      const got = reply.headers.get(name);
      if (got !== value) problems.push(`${address}: ${name} is ${got}, not ${value}`);
    }
  });
  return problems;
}

async function policyProblems(origin) {
  const reply = await get(origin, "/");
  await reply.arrayBuffer();
  const policy = reply.headers.get("content-security-policy") ?? "";
  const problems = [];
  if (!/(^|;)\s*default-src 'none'/.test(policy)) problems.push(`no default-src 'none' in "${policy}"`);
  for (const word of ["unsafe-inline", "unsafe-eval", "https:", "*"]) {
    if (policy.includes(word)) problems.push(`the policy allows ${word}`);
  }
  if (policy.split(",").length > 1) problems.push("two rules set the policy, so it is doubled");
  if (reply.headers.get("x-content-type-options") !== "nosniff") problems.push("no X-Content-Type-Options: nosniff");
  return problems;
}

async function missingProblems(folder, origin) {
  const own = await readFile(join(folder, "404.html"), "utf8");
  const problems = [];
  for (const address of ["/no-such-page", "/task/no/such", "/assets/missing.css", "/data/missing.json", "/..%2f..%2fetc/passwd"]) {
    const reply = await get(origin, address);
    const body = await reply.text();
    if (reply.status !== 404) problems.push(`${address}: status ${reply.status}`);
    else if (body !== own) problems.push(`${address}: not the site's own 404 page`);
  }
  return problems;
}

/** Links of one page as [address, fragment]; those to other places are left out. */
function linksOf({ html, address }) {
  const inside = "http://site.invalid";
  const text = html.replace(/<!--[\s\S]*?-->/g, "");
  return [...text.matchAll(/<(?:a|link|script|img|source|use|image)\b[^>]*?\s(?:href|src)="([^"]*)"/g)]
    .map(([, link]) => link.replaceAll("&amp;", "&"))
    .filter((link) => !/^(data|mailto|javascript):/.test(link))
    .map((link) => new URL(link, inside + address))
    .filter((url) => url.origin === inside)
    .map((url) => [url.pathname, url.pathname + url.search, decodeURIComponent(url.hash.slice(1))]);
}

async function linkProblems(folder, origin, pages) {
  const firstUser = new Map();
  const wantedIds = new Map();
  for (const page of pages) {
    const shownAt = page.file === "404.html" ? "/no/such/page" : page.address; // the 404 page is shown at any depth
    for (const [path, address, fragment] of linksOf({ ...page, address: shownAt })) {
      if (path === shownAt && page.file === "404.html") continue;
      if (!firstUser.has(address)) firstUser.set(address, shownAt);
      if (fragment !== "") wantedIds.set(`${path}#${fragment}`, [path, fragment, page.address]);
    }
  }
  const problems = [];
  await inParallel(firstUser.keys(), async (address) => {
    const reply = await get(origin, address);
    await reply.arrayBuffer();
    if (reply.status !== 200) {
      problems.push(`${firstUser.get(address)} links to ${address}: status ${reply.status} ${reply.headers.get("location") ?? ""}`);
    }
  });
  const ids = new Map(pages.map((page) => [page.file, new Set([...page.html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id.replaceAll("&amp;", "&")))]));
  for (const [path, fragment, user] of wantedIds.values()) {
    const file = fileAt(folder, path);
    if (file && ids.has(file) && !ids.get(file).has(fragment)) problems.push(`${user} links to ${path}#${fragment}: no such id`);
  }
  return problems;
}

async function checksumProblems(folder) {
  const sums = new Map((await readFile(join(folder, "SHA256SUMS"), "utf8")).trim().split("\n")
    .map((line) => [line.slice(66).replace(/^\.\//, ""), line.slice(0, 64)]));
  const problems = [];
  for (const file of await filesOf(folder)) {
    if (file === "SHA256SUMS") continue;
    const digest = createHash("sha256").update(await readFile(join(folder, file))).digest("hex");
    if (!sums.has(file)) problems.push(`${file} is not listed`);
    else if (sums.get(file) !== digest) problems.push(`${file} has another digest`);
    sums.delete(file);
  }
  return [...problems, ...[...sums.keys()].map((file) => `${file} is listed and does not exist`)];
}

export async function lookAtHosting(report, folder, origin, { pages, unknown }) {
  const kinds = onePageOfEachKind(pages).map(({ address }) => address);
  const others = (await filesOf(folder)).filter((file) => /^(assets|data)\//.test(file) || /\.(xml|txt|png|cff|bib)$/.test(file));
  const some = others.filter((file, place) => place < 12 || file.startsWith("assets/")).map((file) => `/${encodeURI(file)}`);
  await report.check(`headers of ${kinds.length} pages and ${some.length} files are those of _headers`, () =>
    headerProblems(folder, origin, [...kinds.filter((address) => address !== "/404"), ...some]));
  await report.check("one strict content security policy", () => policyProblems(origin));
  await report.check("what does not exist is a real 404 with the site's own page", () => missingProblems(folder, origin));
  await report.check(`links of ${pages.length} pages resolve without a redirect, and their anchors exist`, () => linkProblems(folder, origin, pages));
  await report.check("SHA256SUMS lists every other file with its digest", () => checksumProblems(folder));
  await report.check("every page names its kind, and the sitemap lists every page but the 404", async () => [
    ...pages.filter(({ kind }) => !kind).map(({ file }) => `${file} has no <html data-kind>`),
    ...pages.filter(({ listed, file }) => !listed && file !== "404.html").map(({ file }) => `the sitemap lacks ${file}`),
    ...unknown.map((address) => `the sitemap lists ${address}, which does not exist`),
  ]);
}
