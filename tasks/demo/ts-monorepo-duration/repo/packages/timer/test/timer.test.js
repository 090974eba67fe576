import assert from "node:assert/strict";
import { test } from "node:test";
import { Timer } from "../src/index.js";

test("laps add up", () => {
  let time = 0;
  const timer = new Timer(() => time);
  time += 61_000;
  assert.equal(timer.lap(), "1m 1s");
  time += 3_600_000;
  assert.equal(timer.lap(), "1h");
  assert.equal(timer.total(), "1h 1m 1s");
});
