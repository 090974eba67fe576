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

  it("carries what rounding fills up", () => {
    assert.equal(format(119_700, { parts: 2 }), "2m");
    assert.equal(format(3_599_999, { parts: 2 }), "1h");
    assert.equal(format(86_399_999, { parts: 3 }), "1d");
    assert.equal(format(59_999.7), "1m");
    assert.equal(format(-119_700, { parts: 2 }), "-2m");
  });

  it("rounds to the last unit, not to one further up", () => {
    assert.equal(format(5_400_000, { parts: 1 }), "2h");
    assert.equal(format(3_000_000, { parts: 1 }), "50m");
    assert.equal(format(45_000, { parts: 1 }), "45s");
  });

  it("counts units from the largest that is not zero", () => {
    assert.equal(format(3_600_000 + 29_000, { parts: 2 }), "1h");
    assert.equal(format(3_600_000 + 31_000, { parts: 2 }), "1h 1m");
    assert.equal(format(86_400_000 + 5_000, { parts: 3 }), "1d");
  });

  it("writes what parse reads", () => {
    for (const ms of [1, 999, 59_999, 86_399_999, 123_456_789, -4_000_001]) {
      assert.equal(parse(format(ms)), ms);
    }
  });
});
