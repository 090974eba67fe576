import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Entry,
  importInbox,
  LedgerStore,
  listFiles,
  LockError,
  main,
  mapLimit,
  monthlyReport,
  moveFile,
  ParseError,
  readText,
  StoreError,
  withLock,
  writeAtomic,
} from "../src/index";

let dir: string;
let inbox: string;
let archive: string;
let ledger: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ledger-"));
  inbox = join(dir, "inbox");
  archive = join(dir, "archive");
  ledger = join(dir, "ledger.json");
  mkdirSync(inbox);
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const statement = (...lines: string[]) => ["id;date;amount;text", ...lines, ""].join("\n");
const entry = (id: string, date = "2025-03-03", amount = 100): Entry => ({ id, date, amount, text: id });
const put = (name: string, text: string) => writeFileSync(join(inbox, name), text);

/** A promise that is settled from outside. */
function gate<T = void>() {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** Lets everything run that waits for nothing from outside. */
async function settle() {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("files", () => {
  it("are read as text without a mark", async () => {
    put("a.csv", "\uFEFFid;däte");
    expect(await readText(join(inbox, "a.csv"))).toBe("id;däte");
    await expect(readText(join(inbox, "b.csv"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("are replaced in one step", async () => {
    await writeAtomic(ledger, "one");
    await writeAtomic(ledger, "two");
    expect(readFileSync(ledger, "utf8")).toBe("two");
    expect(readdirSync(dir).sort()).toEqual(["inbox", "ledger.json"]);
  });

  it("leave nothing behind that could not be written", async () => {
    mkdirSync(ledger);
    put("keep.txt", "");
    mkdirSync(join(ledger, "inside"));
    await expect(writeAtomic(ledger, "text")).rejects.toThrow();
    await expect(writeAtomic(join(dir, "nowhere", "x.json"), "text")).rejects.toMatchObject({ code: "ENOENT" });
    expect(readdirSync(dir).sort()).toEqual(["inbox", "ledger.json"]);
  });

  it("are listed by name", async () => {
    for (const name of ["b.csv", "a.csv", "c.txt"]) put(name, "");
    mkdirSync(join(inbox, "d.csv"));
    expect(await listFiles(inbox, ".csv")).toEqual([join(inbox, "a.csv"), join(inbox, "b.csv")]);
    await expect(listFiles(join(dir, "nowhere"), ".csv")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("are moved into a folder", async () => {
    put("a.csv", "x");
    const folder = join(archive, "2025", "03");
    expect(await moveFile(join(inbox, "a.csv"), folder)).toBe(join(folder, "a.csv"));
    expect(readFileSync(join(folder, "a.csv"), "utf8")).toBe("x");
    await expect(moveFile(join(inbox, "a.csv"), folder)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("withLock", () => {
  it("holds the lock as long as the work takes", async () => {
    const lock = join(dir, "lock");
    const { promise, open } = gate<string>();
    const begun = gate();
    const working = withLock(lock, () => {
      begun.open();
      return promise;
    });
    await begun.promise;
    expect(existsSync(lock)).toBe(true);
    const other = withLock(lock, async () => "never");
    await expect(other).rejects.toBeInstanceOf(LockError);
    await expect(other).rejects.toMatchObject({ path: lock });
    expect(existsSync(lock)).toBe(true);
    open("done");
    expect(await working).toBe("done");
    expect(existsSync(lock)).toBe(false);
  });

  it("gives the lock back when the work fails", async () => {
    const lock = join(dir, "lock");
    const failure = new Error("disk full");
    await expect(withLock(lock, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(existsSync(lock)).toBe(false);
    const thrown = withLock(lock, () => {
      throw failure;
    });
    await expect(thrown).rejects.toBe(failure);
    expect(existsSync(lock)).toBe(false);
  });

  it("tells of the work's failure, not of the lock's", async () => {
    const lock = join(dir, "lock");
    const failure = new Error("disk full");
    const working = withLock(lock, async () => {
      rmSync(lock, { recursive: true });
      throw failure;
    });
    await expect(working).rejects.toBe(failure);
  });

  it("tells of a lock that could not be made", async () => {
    await expect(withLock(join(dir, "nowhere", "lock"), async () => 1)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("mapLimit", () => {
  it("keeps the order of the items", async () => {
    const gates = [gate<string>(), gate<string>(), gate<string>()];
    const mapped = mapLimit(["a", "b", "c"], 3, async (item, index) => item + (await gates[index]!.promise));
    gates[2]!.open("3");
    await settle();
    gates[0]!.open("1");
    await settle();
    gates[1]!.open("2");
    expect(await mapped).toEqual(["a1", "b2", "c3"]);
    expect(await mapLimit([], 3, async () => 1)).toEqual([]);
  });

  it("works on as many at a time as it may, and no more", async () => {
    const gates = Array.from({ length: 5 }, () => gate());
    const begun: number[] = [];
    const mapped = mapLimit(gates, 2, async (item, index) => {
      begun.push(index);
      await item.promise;
      return index;
    });
    await settle();
    expect(begun).toEqual([0, 1]);
    gates[1]!.open();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    gates[0]!.open();
    gates[2]!.open();
    await settle();
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    gates[3]!.open();
    gates[4]!.open();
    expect(await mapped).toEqual([0, 1, 2, 3, 4]);
  });

  it("begins nothing after a failure and waits for what runs", async () => {
    const gates = Array.from({ length: 4 }, () => gate());
    const begun: number[] = [];
    let heard: unknown;
    const mapped = mapLimit(gates, 2, async (item, index) => {
      begun.push(index);
      await item.promise;
    }).catch((error: unknown) => {
      heard = error;
    });
    await settle();
    const [first, second] = [new Error("first"), new Error("second")];
    gates[1]!.fail(first);
    await settle();
    expect(begun).toEqual([0, 1]);
    expect(heard).toBeUndefined();
    gates[0]!.fail(second);
    await mapped;
    expect(heard).toBe(first);
    expect(begun).toEqual([0, 1]);
  });

  it("takes a worker that throws for one that failed", async () => {
    const { promise, open } = gate();
    const failure = new Error("thrown");
    const begun: number[] = [];
    let heard: unknown;
    const mapped = mapLimit([0, 1, 2, 3], 2, (item) => {
      begun.push(item);
      if (item === 1) throw failure;
      return promise;
    }).catch((error: unknown) => {
      heard = error;
    });
    await settle();
    expect(heard).toBeUndefined();
    open();
    await mapped;
    expect(heard).toBe(failure);
    expect(begun).toEqual([0, 1]);
  });

  it("rejects a limit that is none", async () => {
    for (const limit of [0, -1, 1.5, NaN]) {
      await expect(mapLimit([1], limit, async (item) => item)).rejects.toBeInstanceOf(RangeError);
    }
  });
});

describe("LedgerStore", () => {
  it("begins empty", async () => {
    expect(await new LedgerStore(ledger).load()).toEqual([]);
  });

  it("adds what is new, by date", async () => {
    const store = new LedgerStore(ledger);
    expect(await store.append([entry("b", "2025-03-05"), entry("a", "2025-03-04"), entry("b")])).toBe(2);
    expect(await store.append([entry("a"), entry("c", "2025-03-01")])).toBe(1);
    expect(await store.append([entry("c")])).toBe(0);
    expect((await new LedgerStore(ledger).load()).map(({ id }) => id)).toEqual(["c", "a", "b"]);
  });

  it("carries additions at the same time out one after the other", async () => {
    const store = new LedgerStore(ledger);
    const names = Array.from({ length: 25 }, (_, i) => `TX-${i}`);
    const added = await Promise.all(names.map((name) => store.append([entry(name), entry("shared")])));
    expect(added).toEqual([2, ...Array<number>(24).fill(1)]);
    expect(await store.load()).toHaveLength(26);
  });

  it("goes on after an addition that failed", async () => {
    writeFileSync(ledger, "{");
    const store = new LedgerStore(ledger);
    const first = store.append([entry("a")]);
    const second = first.catch(() => rmSync(ledger)).then(() => store.append([entry("b")]));
    const third = store.append([entry("c")]).catch((error: unknown) => error);
    await expect(first).rejects.toBeInstanceOf(StoreError);
    await third;
    expect(await second).toBe(1);
    expect((await store.load()).map(({ id }) => id)).toContain("b");
  });

  it("tells of a ledger that is none", async () => {
    writeFileSync(ledger, "{");
    await expect(new LedgerStore(ledger).load()).rejects.toMatchObject({ name: "StoreError", message: `${ledger} is no JSON` });
    writeFileSync(ledger, "{}");
    await expect(new LedgerStore(ledger).load()).rejects.toThrow(`${ledger} is no list`);
    await expect(new LedgerStore(inbox).load()).rejects.toMatchObject({ code: "EISDIR" });
  });
});

describe("importInbox", () => {
  it("adds what is new and archives the files", async () => {
    put("b.csv", statement("TX-2;2025-03-04;1200.00;Invoice", "TX-1;2025-03-03;-48.20;Paper"));
    put("a.csv", statement("TX-1;2025-03-03;-48.20;Paper"));
    put("notes.txt", "not a statement");
    const store = new LedgerStore(ledger);
    const seen: string[] = [];
    const onFile = (name: string, added: number) => seen.push(`${name} ${added} ${existsSync(join(archive, name))}`);
    expect(await importInbox({ inbox, archive, store, onFile })).toEqual({ files: 2, added: 2, known: 1 });
    expect(seen).toEqual(["a.csv 1 true", "b.csv 1 true"]);
    expect(readdirSync(archive).sort()).toEqual(["a.csv", "b.csv"]);
    expect(readdirSync(inbox)).toEqual(["notes.txt"]);
    expect((await store.load()).map(({ id }) => id)).toEqual(["TX-1", "TX-2"]);
  });

  it("takes many files in the order of their names", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `2025-03-${String(i + 1).padStart(2, "0")}.csv`);
    for (const name of names) put(name, statement(`TX-${name};2025-03-03;1.00;${name}`));
    const seen: string[] = [];
    const store = new LedgerStore(ledger);
    await importInbox({ inbox, archive, store, concurrency: 3, onFile: (name) => seen.push(name) });
    expect(seen).toEqual(names);
    expect((await store.load()).map(({ text }) => text)).toEqual(names);
  });

  it("adds nothing if a statement is broken", async () => {
    put("a.csv", statement("TX-1;2025-03-03;-48.20;Paper"));
    put("b.csv", "no statement");
    const store = new LedgerStore(ledger);
    const importing = importInbox({ inbox, archive, store });
    await expect(importing).rejects.toBeInstanceOf(ParseError);
    await expect(importing).rejects.toThrow("b.csv:1: expected id;date;amount;text");
    expect(readdirSync(inbox).sort()).toEqual(["a.csv", "b.csv"]);
    expect(existsSync(ledger)).toBe(false);
    put("b.csv", statement());
    expect(await importInbox({ inbox, archive, store })).toEqual({ files: 2, added: 1, known: 0 });
  });

  it("stops at the file at which adding fails", async () => {
    for (const name of ["a.csv", "b.csv"]) put(name, statement(`${name};2025-03-03;1.00;x`));
    const store = new LedgerStore(ledger);
    const onFile = () => writeFileSync(ledger, "{");
    await expect(importInbox({ inbox, archive, store, onFile })).rejects.toBeInstanceOf(StoreError);
    expect(readdirSync(inbox)).toEqual(["b.csv"]);
  });

  it("is not done twice at a time", async () => {
    put("a.csv", statement("TX-1;2025-03-03;-48.20;Paper"));
    const store = new LedgerStore(ledger);
    const both = await Promise.allSettled([importInbox({ inbox, archive, store }), importInbox({ inbox, archive, store })]);
    const failed = both.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    expect(failed.map(({ reason }) => (reason as Error).name)).toEqual(["LockError"]);
    expect(await importInbox({ inbox, archive, store })).toEqual({ files: 0, added: 0, known: 0 });
  });
});

describe("monthlyReport", () => {
  it("adds up a month", async () => {
    const store = new LedgerStore(ledger);
    await store.append([entry("a", "2025-03-03", -4820), entry("b", "2025-03-04", 120000), entry("c", "2025-04-01", 7)]);
    expect(await monthlyReport(store, "2025-03")).toBe(
      ["2025-03: 2 entries", "  in   1200.00", "  out  -48.20", "  sum  1151.80"].join("\n"),
    );
    await expect(monthlyReport(store, "2025-13")).rejects.toThrow(RangeError);
  });
});

describe("main", () => {
  const run = async (...argv: string[]) => {
    const lines: string[] = [];
    return { code: await main(argv, (line) => lines.push(line)), lines };
  };

  it("imports and reports", async () => {
    put("a.csv", statement("TX-1;2025-03-03;-48.20;Paper"));
    expect(await run("import", "--inbox", inbox, "--archive", archive, "--ledger", ledger)).toEqual({
      code: 0,
      lines: ["a.csv: 1 added", "1 files, 1 added, 0 known"],
    });
    expect((await run("report", "--ledger", ledger, "--month", "2025-03")).code).toBe(0);
  });

  it("ends with 1 if it failed and with 2 if it was not understood", async () => {
    put("a.csv", "no statement");
    expect(await run("import", "--inbox", inbox, "--archive", archive, "--ledger", ledger)).toEqual({
      code: 1,
      lines: ["error: a.csv:1: expected id;date;amount;text"],
    });
    expect(await run("report", "--ledger", ledger, "--month", "May")).toEqual({ code: 1, lines: ["error: no month: May"] });
    for (const argv of [[], ["import", "--inbox", inbox], ["--what"]]) {
      const { code, lines } = await run(...argv);
      expect([code, lines[0]]).toEqual([2, expect.stringMatching(/^usage:/)]);
    }
  });
});
