import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importInbox, type ImportSummary, LedgerStore, main, mapLimit, monthlyReport } from "../src/index";

let dir: string;
let inbox: string;
let archive: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ledger-"));
  inbox = join(dir, "inbox");
  archive = join(dir, "archive");
  mkdirSync(inbox);
});

afterEach(() => rmSync(dir, { recursive: true }));

const statement = (...lines: string[]) => ["id;date;amount;text", ...lines, ""].join("\n");

describe("importInbox", () => {
  it("adds what is new and archives the files", () =>
    new Promise<void>((resolve) => {
      writeFileSync(join(inbox, "b.csv"), statement("TX-2;2025-03-04;1200.00;Invoice", "TX-1;2025-03-03;-48.20;Paper"));
      writeFileSync(join(inbox, "a.csv"), statement("TX-1;2025-03-03;-48.20;Paper"));
      const store = new LedgerStore(join(dir, "ledger.json"));
      const seen: string[] = [];
      const onFile = (name: string, added: number) => seen.push(`${name} ${added}`);
      importInbox({ inbox, archive, store, onFile }, (error, summary) => {
        expect(error).toBeNull();
        expect(summary).toEqual<ImportSummary>({ files: 2, added: 2, known: 1 });
        expect(seen).toEqual(["a.csv 1", "b.csv 1"]);
        expect(readdirSync(archive)).toEqual(["a.csv", "b.csv"]);
        monthlyReport(store, "2025-03", (_error, text) => {
          expect(text).toContain("2025-03: 2 entries");
          resolve();
        });
      });
    }));

  it("adds nothing if a statement is broken", () =>
    new Promise<void>((resolve) => {
      writeFileSync(join(inbox, "a.csv"), statement("TX-1;2025-03-03;-48.20;Paper"));
      writeFileSync(join(inbox, "b.csv"), "no statement");
      const store = new LedgerStore(join(dir, "ledger.json"));
      importInbox({ inbox, archive, store }, (error) => {
        expect(error?.message).toBe("b.csv:1: expected id;date;amount;text");
        expect(readdirSync(inbox)).toEqual(["a.csv", "b.csv"]);
        resolve();
      });
    }));
});

describe("mapLimit", () => {
  it("keeps the order of the items", () =>
    new Promise<void>((resolve) => {
      mapLimit<number, number>([3, 1, 2], 2, (item, index, done) => setImmediate(done, null, item * 10 + index), (error, results) => {
        expect(error).toBeNull();
        expect(results).toEqual([30, 11, 22]);
        resolve();
      });
    }));
});

describe("main", () => {
  it("explains itself", () =>
    new Promise<void>((resolve) => {
      const lines: string[] = [];
      main(["import", "--inbox", inbox], (line) => lines.push(line), (code) => {
        expect(code).toBe(2);
        expect(lines[0]).toMatch(/^usage:/);
        resolve();
      });
    }));
});
