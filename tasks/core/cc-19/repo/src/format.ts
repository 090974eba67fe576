import { isMissing } from "./compare";
import type { Column } from "./types";

/** What stands in a cell. */
export function formatCell<Row>(column: Column<Row>, row: Row): string {
  const value = column.value(row);
  if (isMissing(value)) return "";
  if (column.format !== undefined) return column.format(value);
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}
