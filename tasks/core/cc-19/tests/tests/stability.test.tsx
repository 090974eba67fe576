import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { type Column, compareRows, compareValues, createTable, type Direction, exportCsv, type SortKey, sortRows, Table, topRows } from "../src/index";

interface Payment {
  id: string;
  day: string | null;
  payee: string | null;
  amount: number | null;
  paid: boolean;
  due: Date | null;
}

const RANKS = ["low", "medium", "high"];

const columns: Column<Payment>[] = [
  { id: "id", header: "Id", value: (row) => row.id },
  { id: "day", header: "Day", value: (row) => row.day },
  { id: "payee", header: "Payee", value: (row) => row.payee },
  { id: "amount", header: "Amount", value: (row) => row.amount },
  { id: "paid", header: "Paid", value: (row) => row.paid },
  { id: "due", header: "Due", value: (row) => row.due },
  {
    id: "rank",
    header: "Rank",
    value: (row) => row.payee,
    compare: (a, b) => {
      if (typeof a !== "string" || typeof b !== "string") throw new Error("asked about a missing value");
      return RANKS.indexOf(a) - RANKS.indexOf(b);
    },
  },
];

const row = (id: string, rest: Partial<Payment> = {}): Payment => ({
  id,
  day: null,
  payee: null,
  amount: null,
  paid: false,
  due: null,
  ...rest,
});

/** Ids that are in no order of their own, so that ties cannot be broken by them. */
const shuffled = (count: number) => Array.from({ length: count }, (_, i) => `p${(i * 37 + 11) % count}`);

const up = (column: string): SortKey => ({ column, direction: "ascending" });
const down = (column: string): SortKey => ({ column, direction: "descending" });
const ids = (rows: readonly Payment[]) => rows.map(({ id }) => id);
const rowId = ({ id }: Payment) => id;

/** 120 payments, 40 of them from one day. */
function many(): Payment[] {
  return shuffled(120).map((id, i) =>
    row(id, { day: i % 3 === 0 ? "2025-03-05" : `2025-03-${String(6 + (i % 7)).padStart(2, "0")}`, amount: (i * 7) % 5, paid: i % 2 === 0 }),
  );
}

/** What a sort has to give: by insertion, each row behind those that are not after it. */
function expected(rows: readonly Payment[], ...keys: [get: (row: Payment) => number | string, direction: Direction][]): string[] {
  const sorted: Payment[] = [];
  for (const one of rows) {
    const before = (other: Payment): boolean => {
      for (const [get, direction] of keys) {
        const [a, b] = [get(one), get(other)];
        if (a !== b) return direction === "ascending" ? a < b : a > b;
      }
      return false;
    };
    const at = sorted.findIndex(before);
    sorted.splice(at < 0 ? sorted.length : at, 0, one);
  }
  return ids(sorted);
}

describe("equal rows", () => {
  it.each<Direction>(["ascending", "descending"])("keep their order, %s", (direction) => {
    const rows = many();
    for (const [column, get] of [
      ["day", (r: Payment) => r.day!],
      ["amount", (r: Payment) => r.amount!],
      ["paid", (r: Payment) => Number(r.paid)],
    ] as const) {
      expect(ids(sortRows([...rows], columns, [{ column, direction }]))).toEqual(expected(rows, [get, direction]));
      const table = createTable({ columns, rows, rowId });
      table.setSort([{ column, direction }]);
      expect(ids(table.view().rows)).toEqual(expected(rows, [get, direction]));
    }
  });

  it("are those whose texts people take for the same", () => {
    const rows = ["Zoë", "zoe", "ZOE", "abc", "ABC"].map((payee, i) => row(`r${[3, 1, 4, 0, 2][i]}`, { payee }));
    expect(ids(sortRows(rows, columns, [up("payee")]))).toEqual(["r0", "r2", "r3", "r1", "r4"]);
    expect(ids(sortRows([...rows], columns, [down("payee")]))).toHaveLength(5);
  });

  it("keep their order when texts go down", () => {
    const rows = ["b", "a", "B", "A", "b"].map((payee, i) => row(`r${[3, 1, 4, 0, 2][i]}`, { payee }));
    expect(ids(sortRows(rows, columns, [down("payee")]))).toEqual(["r3", "r4", "r2", "r1", "r0"]);
  });

  it("keep their order by dates and by a comparison of the column", () => {
    const dates = ["2025-03-02", "2025-03-01", "2025-03-02", "2025-03-01"].map((due, i) => row(`r${3 - i}`, { due: new Date(due) }));
    expect(ids(sortRows([...dates], columns, [up("due")]))).toEqual(["r2", "r0", "r3", "r1"]);
    expect(ids(sortRows([...dates], columns, [down("due")]))).toEqual(["r3", "r1", "r2", "r0"]);
    const ranks = ["high", "low", "high", "medium", "low"].map((payee, i) => row(`r${4 - i}`, { payee }));
    expect(ids(sortRows([...ranks], columns, [up("rank")]))).toEqual(["r3", "r0", "r1", "r4", "r2"]);
    expect(ids(sortRows([...ranks], columns, [down("rank")]))).toEqual(["r4", "r2", "r1", "r3", "r0"]);
  });
});

describe("a second column", () => {
  it("decides where the first is equal", () => {
    const rows = many();
    const byDay = (r: Payment) => r.day!;
    const byAmount = (r: Payment) => r.amount!;
    const sorts: [SortKey[], Parameters<typeof expected>[1][]][] = [
      [[up("day"), up("amount")], [[byDay, "ascending"], [byAmount, "ascending"]]],
      [[up("day"), down("amount")], [[byDay, "ascending"], [byAmount, "descending"]]],
      [[down("day"), up("amount")], [[byDay, "descending"], [byAmount, "ascending"]]],
      [[down("amount"), down("day")], [[byAmount, "descending"], [byDay, "descending"]]],
    ];
    for (const [sort, keys] of sorts) expect(ids(sortRows([...rows], columns, sort))).toEqual(expected(rows, ...keys));
  });

  it("is added with the shift key", () => {
    const rows = many();
    const table = createTable({ columns, rows, rowId });
    table.toggleSort("day");
    table.toggleSort("amount", { add: true });
    table.toggleSort("amount", { add: true });
    expect(table.view().sort).toEqual([up("day"), down("amount")]);
    expect(ids(table.view().rows)).toEqual(expected(rows, [(r) => r.day!, "ascending"], [(r) => r.amount!, "descending"]));
  });
});

describe("pages", () => {
  const walk = (table: ReturnType<typeof createTable<Payment>>) => {
    const { pages } = table.view();
    return Array.from({ length: pages }, (_, page) => {
      table.setPage(page);
      return ids(table.view().rows);
    }).flat();
  };

  it.each([1, 7, 25, 50, 119, 120, 500])("of %i show every row once, in the order of all", (pageSize) => {
    const rows = many();
    for (const sort of [[], [up("day")], [down("day")], [down("paid")], [up("amount"), down("day")]]) {
      const table = createTable({ columns, rows, rowId, pageSize });
      table.setSort(sort);
      const all = ids(sortRows([...many()], columns, sort));
      expect(walk(table)).toEqual(all);
      expect(ids(table.sortedRows())).toEqual(all);
      expect(walk(table)).toEqual(all);
      expect(exportCsv(table).split("\r\n").slice(1, -1).map((line) => line.split(",")[0])).toEqual(all);
    }
  });

  it("are a slice of a stable sort, whatever the comparison", () => {
    const items = Array.from({ length: 60 }, (_, i) => ({ i, group: (i * i) % 4 }));
    for (const compare of [
      (a: { group: number }, b: { group: number }) => a.group - b.group,
      (a: { group: number }, b: { group: number }) => b.group - a.group,
      () => 0,
    ]) {
      const all = [...items].sort((a, b) => compare(a, b) || a.i - b.i);
      for (const [offset, count] of [[0, 60], [0, 5], [13, 10], [55, 20], [60, 5], [0, 0], [7, 1], [0, Infinity]] as const) {
        expect(topRows(items, compare, offset, count)).toEqual(all.slice(offset, offset + count));
      }
    }
    expect(items.map(({ i }) => i)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(topRows([], () => 0, 0, 10)).toEqual([]);
  });

  it("are what is drawn", () => {
    const rows = ["r2", "r0", "r3", "r1"].map((id) => row(id, { day: "2025-03-05" }));
    const table = createTable({ columns, rows, rowId, pageSize: 3 });
    const drawn = () => [...renderToString(<Table table={table} caption="Payments" />).matchAll(/data-row="(\w+)"/g)].map(([, id]) => id);
    table.toggleSort("day");
    table.toggleSort("day");
    expect(drawn()).toEqual(["r2", "r0", "r3"]);
    table.setPage(1);
    expect(drawn()).toEqual(["r1"]);
  });
});

describe("the order", () => {
  it("does not depend on what was clicked before", () => {
    const rows = many();
    const table = createTable({ columns, rows, rowId });
    for (const column of ["amount", "day", "day", "paid", "amount", "amount"]) {
      table.toggleSort(column);
      table.view();
    }
    table.setSort([up("day")]);
    expect(ids(table.view().rows)).toEqual(expected(rows, [(r) => r.day!, "ascending"]));
  });

  it("is that of the rows again when nothing is sorted", () => {
    for (const pageSize of [undefined, 50]) {
      const rows = many();
      const given = ids(rows);
      const table = createTable({ columns, rows, rowId, pageSize });
      for (let i = 0; i < 3; i += 1) {
        table.toggleSort("day");
        table.view();
        table.sortedRows();
      }
      expect(table.view().sort).toEqual([]);
      expect(ids(table.sortedRows())).toEqual(given);
      expect(ids(table.view().rows)).toEqual(given.slice(0, pageSize));
    }
  });

  it("is that of new rows", () => {
    const table = createTable({ columns, rows: many(), rowId });
    table.toggleSort("day");
    table.view();
    const rows = many().reverse();
    table.setRows(rows);
    expect(ids(table.view().rows)).toEqual(expected(rows, [(r) => r.day!, "ascending"]));
  });
});

describe("arrays", () => {
  it("that are given are not changed", () => {
    const rows = many();
    const given = ids(rows);
    for (const pageSize of [undefined, 10]) {
      const table = createTable({ columns, rows, rowId, pageSize });
      for (const column of ["day", "amount", "amount", "paid"]) {
        table.toggleSort(column);
        table.view();
        exportCsv(table);
      }
      table.setRows(rows);
      table.view();
    }
    for (const sort of [[], [up("day")], [down("amount")], [up("paid"), down("day")]]) sortRows(rows, columns, sort);
    expect(ids(rows)).toEqual(given);
    const frozen = Object.freeze(many()) as Payment[];
    expect(sortRows(frozen, columns, [down("day")])).toHaveLength(120);
  });

  it("that were given away belong to the taker", () => {
    for (const sort of [[], [up("day")]]) {
      const rows = many();
      const table = createTable({ columns, rows, rowId });
      table.setSort(sort);
      const before = ids(table.view().rows);
      table.view().rows.length = 0;
      table.sortedRows().reverse();
      sortRows(rows, columns, sort).pop();
      expect(ids(table.view().rows)).toEqual(before);
      expect(rows).toHaveLength(120);
    }
  });
});

describe("missing values", () => {
  const rows = () => [
    row("r5", { amount: null, payee: "b" }),
    row("r1", { amount: 2, payee: "a" }),
    row("r4", { amount: NaN, payee: "a" }),
    row("r2", { amount: 1, payee: "c" }),
    row("r0", { amount: null, payee: "a" }),
    row("r3", { amount: 2, payee: "b" }),
  ];

  it("stand at the end in either direction, as they were given", () => {
    expect(ids(sortRows(rows(), columns, [up("amount")]))).toEqual(["r2", "r1", "r3", "r5", "r4", "r0"]);
    expect(ids(sortRows(rows(), columns, [down("amount")]))).toEqual(["r1", "r3", "r2", "r5", "r4", "r0"]);
  });

  it("leave it to the next column", () => {
    expect(ids(sortRows(rows(), columns, [down("amount"), up("payee")]))).toEqual(["r1", "r3", "r2", "r4", "r0", "r5"]);
    expect(ids(sortRows(rows(), columns, [up("amount"), down("payee")]))).toEqual(["r2", "r3", "r1", "r5", "r4", "r0"]);
  });

  it("stand on the last page", () => {
    const table = createTable({ columns, rows: rows(), rowId, pageSize: 3 });
    table.setSort([down("amount")]);
    expect(ids(table.view().rows)).toEqual(["r1", "r3", "r2"]);
    table.setPage(1);
    expect(ids(table.view().rows)).toEqual(["r5", "r4", "r0"]);
  });

  it("are not shown to a comparison of the column", () => {
    const ranks = [null, "high", "", "low", null, "high"].map((payee, i) => row(`r${i}`, { payee }));
    expect(ids(sortRows([...ranks], columns, [up("rank")]))).toEqual(["r3", "r1", "r5", "r0", "r2", "r4"]);
    expect(ids(sortRows([...ranks], columns, [down("rank")]))).toEqual(["r1", "r5", "r3", "r0", "r2", "r4"]);
  });

  it("may be dates", () => {
    const due = ["2025-03-02", "never", "2025-03-01", null, "2025-03-02"].map((text, i) => row(`r${4 - i}`, { due: text === null ? null : new Date(text) }));
    expect(ids(sortRows([...due], columns, [down("due")]))).toEqual(["r4", "r0", "r2", "r3", "r1"]);
  });
});

describe("comparisons", () => {
  it("give 0 for what is equal", () => {
    const sign = (a: unknown, b: unknown) => Math.sign(compareValues(a, b)) + 0;
    const pairs: [unknown, unknown, number][] = [
      [1, 1, 0],
      [1, 2, -1],
      [0, -0, 0],
      [-Infinity, Infinity, -1],
      [Infinity, Infinity, 0],
      [true, true, 0],
      [false, true, -1],
      ["a", "A", 0],
      ["file 2", "file 10", -1],
      ["b", "a", 1],
      [new Date(5), new Date(5), 0],
      [new Date(5), new Date(7), -1],
    ];
    for (const [a, b, order] of pairs) {
      expect([a, b, sign(a, b)]).toEqual([a, b, order]);
      expect([b, a, sign(b, a)]).toEqual([b, a, 0 - order]);
    }
  });

  it("of rows are the same both ways", () => {
    const rows = [...many().slice(0, 30), row("x"), row("y", { amount: NaN })];
    for (const sort of [[], [up("day")], [down("amount")], [up("paid"), down("amount")]]) {
      const compare = compareRows(columns, sort);
      for (const a of rows) {
        expect(compare(a, { ...a })).toBeCloseTo(0);
        for (const b of rows) expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBeCloseTo(0);
      }
    }
  });
});
