export { main } from "./cli";
export { listFiles, moveFile, readText, writeAtomic } from "./files";
export { importInbox, type ImportOptions, type ImportSummary } from "./import";
export { mapLimit } from "./limit";
export { LockError, withLock } from "./lock";
export { type Entry, formatAmount, ParseError, parseStatement } from "./parse";
export { monthlyReport } from "./report";
export { LedgerStore, StoreError } from "./store";
