import { parseArgs } from "node:util";
import { importInbox } from "./import";
import { monthlyReport } from "./report";
import { LedgerStore } from "./store";

const USAGE = "usage: ledger-import import --inbox DIR --archive DIR --ledger FILE\n       ledger-import report --ledger FILE --month YYYY-MM";

/** Runs the command. The callback gets the exit code: 0, 1 if it failed, 2 if it was not understood. */
export function main(argv: readonly string[], write: (line: string) => void, callback: (code: number) => void): void {
  let command: string | undefined;
  let values: Record<string, string | undefined>;
  try {
    const text = { type: "string" } as const;
    const options = { inbox: text, archive: text, ledger: text, month: text };
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
    command = parsed.positionals[0];
    values = parsed.values;
  } catch {
    write(USAGE);
    return callback(2);
  }
  const { inbox, archive, ledger, month } = values;
  const fail = (error: Error) => {
    write(`error: ${error.message}`);
    callback(1);
  };
  if (command === "import" && inbox && archive && ledger) {
    const onFile = (name: string, added: number) => write(`${name}: ${added} added`);
    importInbox({ inbox, archive, store: new LedgerStore(ledger), onFile }, (error, summary) => {
      if (error) return fail(error);
      write(`${summary!.files} files, ${summary!.added} added, ${summary!.known} known`);
      callback(0);
    });
  } else if (command === "report" && ledger && month) {
    monthlyReport(new LedgerStore(ledger), month, (error, text) => {
      if (error) return fail(error);
      write(text!);
      callback(0);
    });
  } else {
    write(USAGE);
    callback(2);
  }
}
