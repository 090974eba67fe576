import { useEffect, useState } from "preact/hooks";
import { formatCell } from "./format";
import type { TableModel } from "./model";
import type { Column, SortKey } from "./types";

export interface TableProps<Row> {
  table: TableModel<Row>;
  caption: string;
}

export function Table<Row>({ table, caption }: TableProps<Row>) {
  const [, redraw] = useState(0);
  useEffect(() => table.onChange(() => redraw((count) => count + 1)), [table]);
  const { rows, page, pages, sort } = table.view();
  return (
    <div class="table">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <Header key={column.id} table={table} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={table.rowId(row)} data-row={table.rowId(row)} aria-selected={table.isSelected(row)}>
              {table.columns.map((column) => (
                <td key={column.id} class={column.align}>
                  {formatCell(column, row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <nav>
          <button disabled={page === 0} onClick={() => table.setPage(page - 1)}>
            Previous
          </button>
          <span>
            {page + 1} of {pages}
          </span>
          <button disabled={page === pages - 1} onClick={() => table.setPage(page + 1)}>
            Next
          </button>
        </nav>
      )}
    </div>
  );
}

interface HeaderProps<Row> {
  table: TableModel<Row>;
  column: Column<Row>;
  sort: readonly SortKey[];
}

function Header<Row>({ table, column, sort }: HeaderProps<Row>) {
  const key = sort.find((one) => one.column === column.id);
  return (
    <th scope="col" class={column.align} aria-sort={key?.direction ?? "none"}>
      <button onClick={(event) => table.toggleSort(column.id, { add: event.shiftKey })}>{column.header}</button>
    </th>
  );
}
