import { compareRows, sortRows } from "./sort";
import { topRows } from "./top";
import type { Column, Direction, SortKey } from "./types";

export interface TableOptions<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** All rows on one page where it is missing. */
  pageSize?: number;
}

export interface TableView<Row> {
  rows: Row[];
  /** From 0. */
  page: number;
  pages: number;
  total: number;
  sort: readonly SortKey[];
}

/** State of a table: rows, sort, page, selection. */
export class TableModel<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  readonly #pageSize: number;
  readonly #selected = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #rows: Row[];
  #sort: SortKey[] = [];
  #page = 0;

  constructor({ columns, rows, rowId, pageSize = Infinity }: TableOptions<Row>) {
    if (!(pageSize >= 1)) throw new RangeError("pageSize must be at least 1");
    this.columns = columns;
    this.rowId = rowId;
    this.#rows = rows as Row[];
    this.#pageSize = pageSize;
  }

  /** Calls back after each change, until the function that it gives back is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setRows(rows: readonly Row[]): void {
    this.#rows = rows as Row[];
    this.#page = Math.min(this.#page, this.#pages() - 1);
    this.#changed();
  }

  setPage(page: number): void {
    this.#page = Math.max(0, Math.min(Math.trunc(page), this.#pages() - 1));
    this.#changed();
  }

  /** Sorts by a column: ascending, descending, not at all. With `add` the other columns of the sort stay before it. */
  toggleSort(column: string, { add = false }: { add?: boolean } = {}): void {
    if (!this.columns.some(({ id }) => id === column)) throw new RangeError(`no column ${column}`);
    const at = this.#sort.findIndex((key) => key.column === column);
    const next = nextDirection(this.#sort[at]?.direction);
    const sort = add ? [...this.#sort] : this.#sort.filter((key) => key.column === column);
    const place = add ? at : sort.length - 1;
    if (next === undefined) sort.splice(place, 1);
    else if (place < 0) sort.push({ column, direction: next });
    else sort[place] = { column, direction: next };
    this.setSort(sort);
  }

  setSort(sort: readonly SortKey[]): void {
    this.#sort = [...sort];
    this.#page = 0;
    this.#changed();
  }

  toggleSelected(id: string): void {
    if (!this.#selected.delete(id)) this.#selected.add(id);
    this.#changed();
  }

  isSelected(row: Row): boolean {
    return this.#selected.has(this.rowId(row));
  }

  /** All rows in the order of the screen. */
  sortedRows(): Row[] {
    this.#rows = sortRows(this.#rows, this.columns, this.#sort);
    return this.#rows;
  }

  view(): TableView<Row> {
    const pages = this.#pages();
    const rows =
      pages > 1
        ? topRows(this.#rows, compareRows(this.columns, this.#sort), this.#page * this.#pageSize, this.#pageSize)
        : this.sortedRows();
    return { rows, page: this.#page, pages, total: this.#rows.length, sort: this.#sort };
  }

  #pages(): number {
    return Math.max(1, Math.ceil(this.#rows.length / this.#pageSize));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

export function createTable<Row>(options: TableOptions<Row>): TableModel<Row> {
  return new TableModel(options);
}

function nextDirection(direction: Direction | undefined): Direction | undefined {
  if (direction === undefined) return "ascending";
  return direction === "ascending" ? "descending" : undefined;
}
