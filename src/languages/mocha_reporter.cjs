// What mocha tells its reporters, as sealed lines. Mocha runs tests in the process of the reporter.
"use strict";
const { Writer, said } = require("./report_writer.cjs");
const writer = new Writer();

const ask = (error) => error?.stack ?? error?.message ?? error;

module.exports = class Reporter {
  constructor(runner) {
    const file = (test) => test.file ?? test.parent?.file ?? "unknown";
    const put = (test, status, error) =>
      writer.case(file(test), test.titlePath(), status, test.duration, error === undefined ? "" : said([error], ask));
    runner.on("pass", (test) => put(test, "passed"));
    runner.on("pending", (test) => put(test, "skipped"));
    runner.on("retry", (test) => writer.doubt(`${test.title} was run again`));
    runner.on("fail", (test, error) => put(test, test.type === "hook" ? "errored" : "failed", error));
    runner.once("end", () => writer.close());
  }
};
