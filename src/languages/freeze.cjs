// Loaded before the code under test: the assertions that Node brings, and its test functions, cannot be replaced by it.
"use strict";
const assert = require("node:assert");

const frozen = [assert, assert.strict, assert.AssertionError, assert.AssertionError.prototype];
try {
  const test = require("node:test");
  frozen.push(test, ...["test", "it", "describe", "suite"].map((name) => test[name]).filter(Boolean));
} catch {
  // Older versions have none.
}
for (const one of frozen) Object.freeze(one);
