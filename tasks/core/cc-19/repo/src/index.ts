export { compareValues, isMissing } from "./compare";
export { exportCsv } from "./csv";
export { formatCell } from "./format";
export { createTable, TableModel, type TableOptions, type TableView } from "./model";
export { compareRows, sortRows } from "./sort";
export { Table, type TableProps } from "./Table";
export { topRows } from "./top";
export type { Column, Compare, Direction, SortKey } from "./types";
