// What mocha tells its reporters, as sealed lines. Mocha runs tests in the process of the reporter.
"use strict";
const { Writer } = require("./report_writer.cjs");
const writer = new Writer();

module.exports = class Reporter {
  constructor(runner) {
    const file = (test) => test.file ?? test.parent?.file ?? "unknown";
    const put = (test, status, error) =>
      writer.case(file(test), test.titlePath(), status, test.duration, error?.stack ?? error?.message);
    runner.on("pass", (test) => put(test, "passed"));
    runner.on("pending", (test) => put(test, "skipped"));
    runner.on("fail", (test, error) => put(test, test.type === "hook" ? "errored" : "failed", error));
    runner.once("end", () => writer.close());
  }
};
