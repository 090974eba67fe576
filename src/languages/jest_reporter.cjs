// What jest tells its reporters, as sealed lines. It runs in jest's main process; tests run in its workers where there
// are several files or the plan asks for workers.
"use strict";
const { Writer, said } = require("./report_writer.cjs");
const writer = new Writer();

const STATES = { __proto__: null, passed: "passed", failed: "failed" };
const itself = (text) => text;

module.exports = class Reporter {
  onTestResult(test, result) {
    const file = result.testFilePath ?? test.path;
    const tests = result.testResults ?? [];
    let failed = false;
    for (let i = 0; i < tests.length; i++) {
      const one = tests[i];
      const titles = [];
      const above = one.ancestorTitles ?? [];
      for (let k = 0; k < above.length; k++) titles[k] = above[k];
      titles[titles.length] = one.title;
      failed ||= one.status === "failed";
      if (one.invocations > 1) writer.doubt(`${one.title} was run again`);
      writer.case(file, titles, STATES[one.status] ?? "skipped", one.duration, said(one.failureMessages, itself));
    }
    if (result.testExecError || (result.failureMessage && !failed)) {
      writer.problem(`load ${writer.file(file)}: ${result.failureMessage || result.testExecError?.message}`);
    }
  }

  onRunComplete(_contexts, results) {
    if (results?.runExecError) writer.problem(`jest: ${results.runExecError.message}`);
    writer.close();
  }

  getLastError() {}
};
