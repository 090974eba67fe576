import { compareValues, isMissing } from "./compare";
import type { Column, Compare, SortKey } from "./types";

/** How rows compare in one column. */
export function compareBy<Row>(column: Column<Row>): Compare<Row> {
  const compare = column.compare ?? compareValues;
  return (a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    if (isMissing(left)) return 1;
    if (isMissing(right)) return -1;
    return compare(left, right);
  };
}

/** How rows compare by several columns. */
export function compareRows<Row>(columns: readonly Column<Row>[], sort: readonly SortKey[]): Compare<Row> {
  const keys = sort.map(({ column: id, direction }) => {
    const column = columns.find((one) => one.id === id);
    if (column === undefined) throw new RangeError(`no column ${id}`);
    return { compare: compareBy(column), sign: direction === "ascending" ? 1 : -1 };
  });
  return (a, b) => {
    for (const { compare, sign } of keys) {
      const order = compare(a, b) * sign;
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** Rows in the order of a sort. */
export function sortRows<Row>(rows: Row[], columns: readonly Column<Row>[], sort: readonly SortKey[]): Row[] {
  const [first] = sort;
  if (first === undefined) return rows;
  if (sort.length > 1) return rows.sort(compareRows(columns, sort));
  rows.sort(compareRows(columns, [{ ...first, direction: "ascending" }]));
  return first.direction === "descending" ? rows.reverse() : rows;
}
