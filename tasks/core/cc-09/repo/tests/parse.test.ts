import { describe, expect, it } from "vitest";
import { formatAmount, ParseError, parseStatement } from "../src/index";

describe("parseStatement", () => {
  it("reads entries", () => {
    const text = "id;date;amount;text\r\nTX-81;2025-03-03;-48.20;Office; supplies\r\n\r\n";
    expect(parseStatement(text, "a.csv")).toEqual([
      { id: "TX-81", date: "2025-03-03", amount: -4820, text: "Office; supplies" },
    ]);
  });

  it("names file and line of what is wrong", () => {
    expect(() => parseStatement("id,date", "a.csv")).toThrow(ParseError);
    const broken = "id;date;amount;text\nTX-1;2025-03-03;1.00;a\nTX-2;3 March;1.00;b";
    expect(() => parseStatement(broken, "a.csv")).toThrow("a.csv:3: no date: 3 March");
  });
});

describe("formatAmount", () => {
  it("writes cents", () => {
    expect([120000, -4820, 5, -5, 0].map(formatAmount)).toEqual(["1200.00", "-48.20", "0.05", "-0.05", "0.00"]);
  });
});
