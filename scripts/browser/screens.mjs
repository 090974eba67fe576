#!/usr/bin/env node
// Pictures of one page of every kind, for people to look at: light, dark, and a phone 390 px wide.
//
//   node screens.mjs SITE OUT [--all] [--server wrangler|static]

import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { launch, withPage } from "./chromium.mjs";
import { serve } from "./serving.mjs";
import { onePageOfEachKind, pagesOf } from "./site.mjs";

const WAYS = [
  { name: "light", options: { colorScheme: "light" } },
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "phone", options: { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 } },
];
const TALLEST = 15_000; // Chromium draws no picture higher than this

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, server: { type: "string", default: "static" } },
});
if (positionals.length !== 2) {
  console.error("error: name a built site and a folder for the pictures\nhint: node screens.mjs public /tmp/pictures");
  process.exit(2);
}
const [folder, out] = positionals.map((path) => resolve(path));
await mkdir(out, { recursive: true });
const { pages } = await pagesOf(folder);
const server = await serve(folder, values.server);
const browser = await launch();
try {
  for (const { kind, address } of values.all ? pages : onePageOfEachKind(pages)) {
    const stem = values.all ? address.slice(1).replaceAll("/", "-") || "home" : kind;
    for (const { name, options } of WAYS) {
      const path = join(out, `${stem}-${name}.png`);
      await withPage(browser, options, server.origin + address, async (page) => {
        await page.waitForLoadState("networkidle");
        const size = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollHeight]);
        const height = Math.min(size[1], Math.floor(TALLEST / (options.deviceScaleFactor ?? 1)));
        await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width: size[0], height } });
      });
      console.log(path);
    }
  }
} finally {
  await browser.close();
  await server.end();
}
