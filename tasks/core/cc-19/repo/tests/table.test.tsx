import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { type Column, createTable, exportCsv, sortRows, Table, topRows } from "../src/index";

interface Payment {
  id: string;
  payee: string;
  amount: number | null;
  date: Date;
}

const columns: Column<Payment>[] = [
  { id: "payee", header: "Payee", value: (row) => row.payee },
  { id: "amount", header: "Amount", value: (row) => row.amount, align: "end", format: (value) => Number(value).toFixed(2) },
  { id: "date", header: "Date", value: (row) => row.date },
];

const payments = (): Payment[] => [
  { id: "p1", payee: "Rail", amount: 49.9, date: new Date("2025-03-03") },
  { id: "p2", payee: "Bakery", amount: 12, date: new Date("2025-03-01") },
  { id: "p3", payee: "Power 10", amount: 230, date: new Date("2025-03-02") },
  { id: "p4", payee: "power 9", amount: 8.5, date: new Date("2025-02-27") },
];

const make = (pageSize?: number) => createTable({ columns, rows: payments(), rowId: ({ id }) => id, pageSize });
const ids = (rows: Payment[]) => rows.map(({ id }) => id);

describe("sorting", () => {
  it("goes up, down and away", () => {
    const table = make();
    expect(ids(table.view().rows)).toEqual(["p1", "p2", "p3", "p4"]);
    table.toggleSort("amount");
    expect(ids(table.view().rows)).toEqual(["p4", "p2", "p1", "p3"]);
    table.toggleSort("amount");
    expect(ids(table.view().rows)).toEqual(["p3", "p1", "p2", "p4"]);
    table.toggleSort("amount");
    expect(table.view().sort).toEqual([]);
  });

  it("compares texts as people do, and dates", () => {
    expect(ids(sortRows(payments(), columns, [{ column: "payee", direction: "ascending" }]))).toEqual(["p2", "p4", "p3", "p1"]);
    expect(ids(sortRows(payments(), columns, [{ column: "date", direction: "descending" }]))).toEqual(["p1", "p3", "p2", "p4"]);
  });

  it("puts missing values at the end", () => {
    const rows = payments();
    rows[1]!.amount = null;
    expect(ids(sortRows(rows, columns, [{ column: "amount", direction: "ascending" }]))).toEqual(["p4", "p1", "p3", "p2"]);
  });

  it("knows its columns", () => {
    expect(() => make().toggleSort("colour")).toThrow(RangeError);
  });
});

describe("pages", () => {
  it("are parts of the sorted rows", () => {
    const table = make(3);
    table.toggleSort("amount");
    expect(ids(table.view().rows)).toEqual(["p4", "p2", "p1"]);
    table.setPage(1);
    expect(ids(table.view().rows)).toEqual(["p3"]);
    table.setPage(7);
    expect(table.view()).toMatchObject({ page: 1, pages: 2, total: 4 });
  });

  it("are found without sorting everything", () => {
    const numbers = [5, 3, 9, 1, 7, 2, 8];
    expect(topRows(numbers, (a, b) => a - b, 2, 3)).toEqual([3, 5, 7]);
    expect(topRows(numbers, (a, b) => b - a, 0, 2)).toEqual([9, 8]);
    expect(topRows(numbers, (a, b) => a - b, 6, 3)).toEqual([9]);
  });
});

describe("Table", () => {
  it("shows rows and how they are sorted", () => {
    const table = make(3);
    table.toggleSort("amount");
    table.toggleSelected("p2");
    const html = renderToString(<Table table={table} caption="Payments" />);
    expect([...html.matchAll(/data-row="(\w+)"/g)].map(([, id]) => id)).toEqual(["p4", "p2", "p1"]);
    expect([...html.matchAll(/aria-sort="(\w+)"/g)].map(([, sort]) => sort)).toEqual(["none", "ascending", "none"]);
    expect(html).toContain('<td class="end">8.50</td>');
    expect(html.match(/aria-selected="true"/g)).toHaveLength(1);
  });

  it("is exported", () => {
    const table = make();
    table.toggleSort("date");
    expect(exportCsv(table).split("\r\n").slice(0, 2)).toEqual(["Payee,Amount,Date", "power 9,8.50,2025-02-27"]);
  });
});
