import type { Callback } from "./files";
import { formatAmount } from "./parse";
import type { LedgerStore } from "./store";

/** What came in and went out in a month (`YYYY-MM`), as text. */
export function monthlyReport(store: LedgerStore, month: string, callback: Callback<string>): void {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return callback(new RangeError(`no month: ${month}`));
  store.load((error, entries) => {
    if (error) return callback(error);
    const amounts = entries!.filter((entry) => entry.date.startsWith(month)).map((entry) => entry.amount);
    const sum = (list: number[]) => list.reduce((total, amount) => total + amount, 0);
    const [received, spent] = [sum(amounts.filter((a) => a > 0)), sum(amounts.filter((a) => a < 0))];
    const lines = [`${month}: ${amounts.length} entries`, `  in   ${formatAmount(received)}`, `  out  ${formatAmount(spent)}`];
    callback(null, [...lines, `  sum  ${formatAmount(received + spent)}`].join("\n"));
  });
}
