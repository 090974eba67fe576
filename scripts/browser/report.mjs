// Counts what was looked at, and prints one line for each.
// A check returns a list of problems; none means passed. What could not be looked at is skipped aloud, never passed.

const SHOWN = 12;

export class Report {
  constructor(write = (line) => console.log(line)) {
    this.write = write;
    this.passed = 0;
    this.failed = 0;
    this.skipped = 0;
  }

  async check(name, look) {
    let problems;
    try {
      problems = await look();
    } catch (error) {
      problems = [`could not be looked at: ${error.message.split("\n").slice(0, 4).join(" | ")}`];
    }
    if (problems.length === 0) {
      this.passed += 1;
      this.write(`ok    ${name}`);
      return true;
    }
    this.failed += 1;
    this.write(`FAIL  ${name}`);
    for (const problem of problems.slice(0, SHOWN)) this.write(`        ${problem}`);
    if (problems.length > SHOWN) this.write(`        and ${problems.length - SHOWN} more`);
    return false;
  }

  skip(name, why) {
    this.skipped += 1;
    this.write(`SKIP  ${name}: ${why}`);
  }

  totals() {
    return `${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`;
  }
}
