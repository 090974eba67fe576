export type Direction = "ascending" | "descending";

export interface SortKey {
  column: string;
  direction: Direction;
}

export interface Column<Row> {
  id: string;
  header: string;
  value: (row: Row) => unknown;
  /** How values are compared that are there; by `compareValues` where it is missing. */
  compare?: (a: unknown, b: unknown) => number;
  /** How a value is written; by `String` where it is missing. */
  format?: (value: unknown) => string;
  align?: "start" | "end";
}

export type Compare<T> = (a: T, b: T) => number;
