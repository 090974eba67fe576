import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { format, parse } from "../src/index.js";

describe("parse", () => {
  it("adds up units", () => {
    assert.equal(parse("1h 30m"), 5_400_000);
    assert.equal(parse("1d1h"), 90_000_000);
    assert.equal(parse(" -1.5s "), -1_500);
    assert.equal(parse("250ms"), 250);
  });

  it("refuses what is no duration", () => {
    for (const text of ["", "-", "5", "1w", "1h x"]) {
      assert.throws(() => parse(text), SyntaxError);
    }
  });
});

describe("format", () => {
  it("writes the largest units first", () => {
    assert.equal(format(5_400_000), "1h 30m");
    assert.equal(format(90_061_001), "1d 1h 1m 1s 1ms");
    assert.equal(format(1_500), "1s 500ms");
    assert.equal(format(-60_000), "-1m");
  });

  it("writes nothing as a unit", () => {
    assert.equal(format(0), "0ms");
    assert.equal(format(-0.2), "0ms");
  });

  it("refuses what cannot be written", () => {
    assert.throws(() => format(NaN), RangeError);
    assert.throws(() => format(1, { parts: 0 }), RangeError);
  });

  it("limits the units", () => {
    assert.equal(format(90_000_000, { parts: 1 }), "1d");
  });
});
