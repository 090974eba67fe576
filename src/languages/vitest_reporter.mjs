// What vitest tells its reporters, as sealed lines. It runs in vitest's main process; tests run in its workers.
import { createRequire } from "node:module";

const { Writer, said } = createRequire(import.meta.url)("./report_writer.cjs");
const writer = new Writer();

const text = (errors) => said(errors ?? [], (e) => e?.stack ?? e?.message ?? e);

/** Up to version 2: files as tasks with tasks inside. */
function walk(file, task, titles) {
  if (task.type === "suite" || task.tasks) {
    if (task.result?.state === "fail" && task.result.errors?.length) {
      writer.problem(`load ${writer.file(file)}: ${text(task.result.errors)}`);
    }
    for (const inner of task.tasks ?? []) walk(file, inner, inner.type === "suite" || inner.tasks ? [...titles, inner.name] : titles);
    return;
  }
  const states = { pass: "passed", fail: "failed" };
  const status = states[task.result?.state] ?? "skipped";
  if (task.result?.retryCount > 0) writer.doubt(`${task.name} was run again`);
  writer.case(file, [...titles, task.name], status, task.result?.duration, text(task.result?.errors));
}

export default class Reporter {
  #ignores = false;

  onInit(vitest) {
    this.#ignores = vitest?.config?.dangerouslyIgnoreUnhandledErrors === true;
  }

  // Errors outside of tests fail the run, unless the project has them ignored.
  #beside(errors) {
    for (const error of errors ?? []) {
      if (this.#ignores) writer.doubt(`vitest: ${text([error])}`);
      else writer.problem(`vitest: ${text([error])}`);
    }
  }

  onFinished(files = [], errors = []) {
    for (const file of files) walk(file.filepath, file, []);
    this.#beside(errors);
    writer.close();
  }

  onTestRunEnd(modules, errors) {
    for (const module of modules) {
      const faults = [...(module.errors?.() ?? [])];
      for (const suite of module.children.allSuites()) faults.push(...suite.errors());
      if (faults.length) writer.problem(`load ${writer.file(module.moduleId)}: ${text(faults)}`);
      for (const test of module.children.allTests()) {
        const titles = [test.name];
        for (let up = test.parent; up && up.type === "suite"; up = up.parent) titles.unshift(up.name);
        const { state, errors: why } = test.result();
        const status = state === "passed" || state === "failed" ? state : "skipped";
        if (test.diagnostic?.()?.retryCount > 0) writer.doubt(`${test.name} was run again`);
        writer.case(module.moduleId, titles, status, test.diagnostic?.()?.duration, text(why));
      }
    }
    this.#beside(errors);
    writer.close();
  }
}
