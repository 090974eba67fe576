// What Node's own test runner tells its reporters, as sealed lines. Each test file is a process of its own.
import { createRequire } from "node:module";

const { Writer, said } = createRequire(import.meta.url)("./report_writer.cjs");
const writer = new Writer();

const ask = (error) => error?.cause?.stack ?? error?.cause?.message ?? error?.stack ?? error?.message ?? error;
const message = (error) => said([error], ask);

export default async function* (events) {
  // Names of the tests that are open, by file: an outer test is told of when its inner ones are.
  const open = new Map();
  for await (const { type, data } of events) {
    const file = data?.file ?? "unknown";
    if (type === "test:start") {
      const names = open.get(file) ?? [];
      names.length = data.nesting;
      names[data.nesting] = data.name;
      open.set(file, names);
    } else if (type === "test:pass" || type === "test:fail") {
      const error = data.details?.error;
      const titles = [...(open.get(file) ?? []).slice(0, data.nesting), data.name].filter((t) => t !== undefined);
      const whole = data.nesting === 0 && writer.file(data.name) === writer.file(file);
      if (whole) {
        if (type === "test:fail") writer.problem(`load ${writer.file(file)}: ${message(error)}`);
      } else if (data.details?.type !== "suite") {
        const left = data.skip !== undefined || data.todo !== undefined;
        writer.case(file, titles, left ? "skipped" : type === "test:pass" ? "passed" : "failed", data.details?.duration_ms, message(error));
      } else if (type === "test:fail" && error?.failureType !== "subtestsFailed") {
        writer.problem(`load ${writer.file(file)}: ${titles.join(" > ")}: ${message(error)}`);
      }
    }
  }
  writer.close();
  yield "";
}
