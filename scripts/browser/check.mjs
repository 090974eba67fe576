#!/usr/bin/env node
// Looks at a built site as its readers, their tools and its host do.
//
//   node check.mjs SITE [--only hosting,html,reading,using,doubting,lighthouse] [--server wrangler|static]
//
// Prints one line a check and a line of totals; exits 1 if a check failed, 2 for bad arguments, 3 without a browser.

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CHROMIUM, launch } from "./chromium.mjs";
import { doubtTheSite } from "./doubting.mjs";
import { lookAtHosting } from "./hosting.mjs";
import { judgeHome, judgeHtml } from "./judging.mjs";
import { readAsReadersDo } from "./reading.mjs";
import { Report } from "./report.mjs";
import { serve } from "./serving.mjs";
import { onePageOfEachKind, pagesOf, whyNotASite } from "./site.mjs";
import { useControls } from "./using.mjs";

const PARTS = ["hosting", "html", "reading", "using", "doubting", "lighthouse"];
const write = (line) => console.log(line);

function stop(code, message, hint) {
  console.error(`error: ${message}\nhint: ${hint}`);
  process.exit(code);
}

async function start(report, folder, wanted) {
  if (wanted === "static") return [await serve(folder, "static"), "static"];
  try {
    return [await serve(folder, "wrangler"), "wrangler"];
  } catch (error) {
    report.skip("the site under wrangler pages dev", `${error.message}; a small static server stands in, which is not the real host`);
    return [await serve(folder, "static"), "static"];
  }
}

async function lookAt(folder, parts, wanted) {
  const report = new Report(write);
  const site = await pagesOf(folder);
  const kinds = onePageOfEachKind(site.pages);
  const [server, how] = await start(report, folder, wanted);
  let browser;
  try {
    write(`${site.pages.length} pages of ${kinds.length} kinds (${kinds.map(({ kind }) => kind).join(", ")}), served by ${server.name}`);
    if (parts.has("hosting")) await lookAtHosting(report, folder, server.origin, site);
    if (parts.has("html")) await judgeHtml(report, folder, site.pages);
    browser = await launch();
    write(`Chromium ${browser.version()}`);
    if (parts.has("reading")) await readAsReadersDo(report, browser, server.origin, kinds);
    if (parts.has("using")) await useControls(report, browser, server.origin, kinds);
    if (parts.has("doubting")) await doubtTheSite(report, browser, folder, server.origin, how);
    if (parts.has("lighthouse")) await judgeHome(report, server.origin, write);
  } finally {
    await browser?.close();
    await server.end();
  }
  return report;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, server: { type: "string", default: "wrangler" } },
});
const parts = new Set(values.only ? values.only.split(",") : PARTS);
const strange = [...parts].find((part) => !PARTS.includes(part));
if (positionals.length !== 1) stop(2, "name one folder with a built site", "node check.mjs public");
if (strange) stop(2, `unknown part '${strange}'`, `one of ${PARTS.join(", ")}`);
const folder = resolve(positionals[0]);
const why = await whyNotASite(folder);
if (why) stop(2, why, "build it first: tsbench-site build --out DIR");
if (!CHROMIUM) stop(3, "there is no Chromium on this machine", "scripts/install chromium");

const report = await lookAt(folder, parts, values.server);
write(`browser checks: ${report.totals()}`);
process.exitCode = report.failed > 0 ? 1 : 0;
