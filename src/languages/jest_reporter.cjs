// What jest tells its reporters, as sealed lines. It runs in jest's main process; tests run in its workers where there
// are several files or the plan asks for workers.
"use strict";
const { Writer } = require("./report_writer.cjs");
const writer = new Writer();

const STATES = { passed: "passed", failed: "failed" };

module.exports = class Reporter {
  onTestResult(test, result) {
    const file = result.testFilePath ?? test.path;
    for (const one of result.testResults ?? []) {
      const titles = [...(one.ancestorTitles ?? []), one.title];
      writer.case(file, titles, STATES[one.status] ?? "skipped", one.duration, (one.failureMessages ?? []).join("\n"));
    }
    if (result.testExecError || (result.failureMessage && !(result.testResults ?? []).some((t) => t.status === "failed"))) {
      writer.problem(`load ${writer.file(file)}: ${result.failureMessage || result.testExecError?.message}`);
    }
  }

  onRunComplete(_contexts, results) {
    if (results?.runExecError) writer.problem(`jest: ${results.runExecError.message}`);
    writer.close();
  }

  getLastError() {}
};
