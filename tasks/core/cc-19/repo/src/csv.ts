import type { TableModel } from "./model";
import { formatCell } from "./format";

/** All rows of a table in the order of the screen. */
export function exportCsv<Row>(table: TableModel<Row>): string {
  const lines = [table.columns.map(({ header }) => quote(header))];
  for (const row of table.sortedRows()) lines.push(table.columns.map((column) => quote(formatCell(column, row))));
  return lines.map((fields) => fields.join(",")).join("\r\n") + "\r\n";
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
