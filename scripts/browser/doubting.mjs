// The page "Check the work" in a real browser: it verifies an honest site, and fails a copy in which one thing was
// changed, naming the numbers that the change touches.

import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withPage } from "./chromium.mjs";
import { serve } from "./serving.mjs";
import { filesOf } from "./site.mjs";

const LIMIT_MS = 120_000;
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Open verify?run and wait for its answer: the state, and all that the page then says. */
function answerOf(browser, origin) {
  return withPage(browser, {}, `${origin}/verify?run`, async (page, faults) => {
    await page.waitForFunction(() => ["ok", "failed"].includes(document.documentElement.dataset.verify), undefined, { timeout: LIMIT_MS });
    const answer = await page.evaluate(() => ({
      state: document.documentElement.dataset.verify,
      text: document.querySelector("main").innerText,
      failures: [...document.querySelectorAll("#verify-failures tbody tr")].map((row) => row.textContent),
    }));
    return { ...answer, faults };
  });
}

async function edit(folder, file, change) {
  const path = join(folder, file);
  const before = await readFile(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`nothing to change in ${file}`);
  await writeFile(path, after);
  return after;
}

/** The first shard with a line that can change between fixed and not fixed, and the numbers that it feeds. */
async function graded(folder) {
  const manifest = JSON.parse(await readFile(join(folder, "data/manifest.json"), "utf8"));
  const { boards, numbers } = JSON.parse(await readFile(join(folder, "data/numbers.json"), "utf8"));
  for (const entry of manifest.files.filter(({ lines }) => lines > 0)) {
    const lines = (await readFile(join(folder, entry.path), "utf8")).split("\n");
    const place = lines.findIndex((line) => /"outcome"\s*:\s*"(resolved|unresolved)"/.test(line));
    if (place < 0) continue;
    const { model, agent = "shell@1", condition = "default" } = JSON.parse(lines[place]);
    const touched = boards.flatMap((board) => board.entries
      .filter((one) => one.model === model && one.agent === agent && one.condition === condition && board.runs.includes(entry.run))
      .flatMap(({ key }) => numbers.filter((number) => number.board === board.id && number.entry === key
        && ["fixed", "rate"].includes(number.stat) && !number.by && !number.group && !number.release && !number.task)));
    if (touched.length > 0) return { file: entry.path, place, touched: touched.map(({ id }) => id) };
  }
  throw new Error("no raw line that a board shows is resolved or unresolved");
}

async function changeOneOutcome(folder) {
  const { file, place, touched } = await graded(folder);
  const after = await edit(folder, file, (text) => text.split("\n").map((line, number) => number !== place ? line
    : line.replace(/("outcome"\s*:\s*")(resolved|unresolved)"/, (_, start, word) => `${start}${word === "resolved" ? "unresolved" : "resolved"}"`)).join("\n"));
  return { file, after, touched };
}

const CHANGES = {
  "one outcome in a raw line": async (folder) => (await changeOneOutcome(folder)).touched,

  "one outcome in a raw line, its digest forged too": async (folder) => {
    const { file, after, touched } = await changeOneOutcome(folder);
    await edit(folder, "data/manifest.json", (text) => {
      const manifest = JSON.parse(text);
      const entry = manifest.files.find(({ path }) => path === file);
      Object.assign(entry, { sha256: sha256(after), bytes: Buffer.byteLength(after) });
      return JSON.stringify(manifest);
    });
    return touched;
  },

  "one digit in a page": async (folder) => {
    let touched;
    await edit(folder, "index.html", (html) => html.replace(
      /(<data\b[^>]*\sdata-n="([^"]+)"[^>]*>[^<0-9]*)([0-9])/, (_, start, id, digit) => {
        touched = id;
        return `${start}${(Number(digit) + 1) % 10}`;
      }));
    return [touched];
  },

  "one digit in a page's value attribute": async (folder) => {
    let touched;
    await edit(folder, "index.html", (html) => html.replace(/<data\b[^>]*\bvalue="[0-9][^>]*>/, (tag) => {
      touched = /\sdata-n="([^"]+)"/.exec(tag)[1];
      return tag.replace(/\bvalue="([0-9])/, (_, digit) => `value="${(Number(digit) + 1) % 10}`);
    }));
    return [touched];
  },

  "one raw line's number in the page of a task": async (folder) => {
    const tasks = (await filesOf(folder)).filter((file) => /^task\/.*\.html$/.test(file));
    for (const file of tasks) {
      let touched;
      // Its id is put together from what stands around it.
      await edit(folder, file, (html) => html.replace(/(<data\b[^>]*\bvalue=")([0-9])([^>]*\sdata-n="(\/[^"]+)")/, (_, start, digit, rest, pointer) => {
        touched = pointer;
        return `${start}${(Number(digit) + 1) % 10}${rest}`;
      })).catch(() => undefined);
      if (touched) return [touched];
    }
    return []; // no raw line says more than its outcome
  },

  "one line of a published patch": async (folder) => {
    const file = (await filesOf(folder)).find((name) => name.startsWith("data/artifacts/") && name.endsWith("/patch.diff"));
    if (!file) return []; // the runs published outcomes alone
    await edit(folder, file, (text) => text.replace(/^\+/m, "-"));
    return [`file ${file}`];
  },

  "one line of a patch on a page": async (folder) => {
    const pages = (await filesOf(folder)).filter((file) => /^task\/.*\.html$/.test(file));
    for (const page of pages) {
      let touched;
      await edit(folder, page, (html) => html.replace(/( data-of="([^"]+)"[^]*?<span class="i">\+)/, (all, before, path) => {
        touched = `file ${path}`;
        return `${before}x`;
      })).catch(() => undefined);
      if (touched) return [touched];
    }
    return []; // no page shows a patch
  },

  "one value in numbers.json": async (folder) => {
    let touched;
    await edit(folder, "data/numbers.json", (text) => {
      const all = JSON.parse(text);
      const number = all.numbers.find(({ stat, value }) => stat === "rate" && typeof value === "number");
      touched = number.id;
      number.value = number.value === 0.25 ? 0.75 : 0.25;
      return JSON.stringify(all);
    });
    return [touched];
  },
};

export async function doubtTheSite(report, browser, folder, origin, how) {
  await report.check("verify?run ends with every number verified", async () => {
    const { state, text, failures, faults } = await answerOf(browser, origin);
    return [...failures, ...(state === "ok" ? [] : [`it ended "${state}": ${text.slice(0, 600).replace(/\s+/g, " ")}`]), ...faults];
  });
  for (const [name, change] of Object.entries(CHANGES)) {
    await report.check(`verify?run fails and names the numbers after a change of ${name}`, async () => {
      const copy = await mkdtemp(join(tmpdir(), "tsbench-changed-"));
      let server;
      try {
        await cp(folder, copy, { recursive: true });
        const touched = await change(copy);
        if (touched.length === 0) return [];
        server = await serve(copy, how);
        const { state, text, failures } = await answerOf(browser, server.origin);
        const unnamed = touched.filter((id) => !failures.some((row) => row.includes(id)));
        return [
          ...(state === "failed" ? [] : [`it ended "${state}": ${text.slice(0, 300).replace(/\s+/g, " ")}`]),
          ...unnamed.map((id) => `${id} is touched and not named`),
        ];
      } finally {
        await server?.end();
        await rm(copy, { recursive: true, force: true });
      }
    });
  }
}
