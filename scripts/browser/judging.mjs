// Outside judges: the Nu HTML checker for validity, Lighthouse for the home page.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CHROMIUM, FLAGS } from "./chromium.mjs";
import { startGroup } from "./serving.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const FILES_AT_ONCE = 400;
const LEAST_SCORE = 95;
const TRIES = 3;

/** Problems that the Nu HTML checker finds; its warnings count too. */
async function invalid(folder, files) {
  const problems = [];
  for (let start = 0; start < files.length; start += FILES_AT_ONCE) {
    const batch = files.slice(start, start + FILES_AT_ONCE).map((file) => join(folder, file));
    const checker = startGroup("java", ["-Xss4m", "-jar", join(here, "node_modules/vnu-jar/build/dist/vnu.jar"), "--format", "json", "--exit-zero-always", ...batch]);
    await checker.ended;
    await checker.end();
    const text = checker.text();
    const answer = text.split("\n").find((line) => line.startsWith("{") && line.includes('"messages"'));
    if (!answer) throw new Error(`the checker gave no answer: ${text.slice(0, 300)}`);
    for (const { type, subType, url, lastLine, lastColumn, message, extract } of JSON.parse(answer).messages) {
      if (type === "error" || type === "non-document-error" || subType === "warning") {
        problems.push(`${subType ?? type}: ${url?.replace(/^file:/, "").replace(`${folder}/`, "")}:${lastLine}:${lastColumn}: ${message} ${extract ? `near ${JSON.stringify(extract.slice(0, 80))}` : ""}`);
      }
    }
  }
  return problems;
}

async function javaRuns() {
  const java = startGroup("java", ["-version"]);
  const code = await java.ended;
  await java.end();
  return code === 0;
}

export async function judgeHtml(report, folder, pages) {
  const name = `the Nu HTML checker finds no error in ${pages.length} pages`;
  if (!(await javaRuns())) return report.skip(name, "there is no Java on this machine");
  return report.check(name, () => invalid(folder, pages.map(({ file }) => file)));
}

/** A run of Lighthouse that could not measure. */
class Unmeasured extends Error {}

/** Scores of one run of Lighthouse, 0 to 100 by category, and what cost points. */
async function scoresOf(address, preset) {
  const folder = await mkdtemp(join(tmpdir(), "tsbench-lighthouse-"));
  const report = join(folder, "report.json"); // what the program says on its way would stand among the report
  const group = startGroup(process.execPath, [
    join(here, "node_modules/lighthouse/cli/index.js"), address,
    "--output=json", `--output-path=${report}`, "--quiet", "--no-enable-error-reporting",
    ...(preset === "desktop" ? ["--preset=desktop"] : []),
    `--chrome-flags=--headless ${FLAGS.join(" ")}`,
  ], { env: { ...process.env, CHROME_PATH: CHROMIUM } });
  await group.ended;
  await group.end();
  const text = await readFile(report, "utf8").catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  if (!text) throw new Error(`Lighthouse gave no answer: ${group.text().slice(-400)}`);
  const { categories, audits, runtimeError } = JSON.parse(text);
  // A score that is null is none: Lighthouse could not measure, which says nothing about the page.
  const missing = Object.entries(categories).filter(([, { score }]) => score === null).map(([name]) => name);
  if (missing.length) {
    const errors = Object.values(audits).filter(({ scoreDisplayMode }) => scoreDisplayMode === "error")
      .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
    throw new Unmeasured(`${missing.join(", ")}: ${runtimeError?.message ?? ""} ${errors.slice(0, 3).join("; ")}`);
  }
  const scores = Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)]));
  const costly = Object.values(categories).flatMap(({ auditRefs }) => auditRefs)
    .filter(({ weight, id }) => weight > 0 && audits[id].score !== null && audits[id].score < 0.9)
    .map(({ id }) => `${id} ${audits[id].displayValue ?? audits[id].title}`);
  return { scores, costly };
}

/** Lighthouse measures time, so a busy machine gets more tries; the median of the tries counts then. */
export async function judgeHome(report, origin, write) {
  for (const preset of ["mobile", "desktop"]) {
    await report.check(`Lighthouse gives the home page ${LEAST_SCORE} or more in every category, ${preset}`, async () => {
      const tries = [];
      const median = (name) => tries.map(({ scores }) => scores[name]).sort((a, b) => a - b)[Math.floor(tries.length / 2)];
      const good = () => Object.values(tries[0].scores).every((score) => score >= LEAST_SCORE);
      let lost = 0;
      do {
        try {
          tries.push(await scoresOf(`${origin}/`, preset));
        } catch (error) {
          if (!(error instanceof Unmeasured) || ++lost > TRIES) throw error;
          write(`      Lighthouse, ${preset}, could not measure: ${error.message}`);
        }
      } while (!tries.length || (tries.length < TRIES && !good()));
      const names = Object.keys(tries[0].scores);
      write(`      Lighthouse, ${preset}: ${names.map((name) => `${name} ${median(name)}`).join(", ")} (${tries.length} runs)`);
      return names.filter((name) => !(median(name) >= LEAST_SCORE))
        .map((name) => `${name} ${median(name)}: ${[...new Set(tries.flatMap(({ costly }) => costly))].join("; ")}`);
    });
  }
}
