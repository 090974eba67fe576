import * as path from "node:path";
import { type Callback, listFiles, moveFile, readText } from "./files";
import { mapLimit } from "./limit";
import { withLock } from "./lock";
import { type Entry, parseStatement } from "./parse";
import type { LedgerStore } from "./store";

export interface ImportOptions {
  inbox: string;
  archive: string;
  store: LedgerStore;
  /** How many files are read at a time. */
  concurrency?: number;
  /** Told of each file that is done, in the order of the names. */
  onFile?: (name: string, added: number) => void;
}

export interface ImportSummary {
  files: number;
  added: number;
  /** Entries that the ledger had already. */
  known: number;
}

interface Statement {
  file: string;
  entries: Entry[];
}

/** Imports all statements of the inbox. */
export function importInbox(options: ImportOptions, callback: Callback<ImportSummary>): void {
  withLock<ImportSummary>(path.join(options.inbox, ".lock"), (done) => importAll(options, done), callback);
}

function importAll(options: ImportOptions, callback: Callback<ImportSummary>): void {
  listFiles(options.inbox, ".csv", (error, files) => {
    if (error) return callback(error);
    mapLimit(files!, options.concurrency ?? 4, readStatement, (error, statements) => {
      if (error) return callback(error);
      addAll(options, statements!, callback);
    });
  });
}

function readStatement(file: string, _index: number, callback: Callback<Statement>): void {
  readText(file, (error, text) => {
    if (error) return callback(error);
    let entries: Entry[];
    try {
      entries = parseStatement(text!, path.basename(file));
    } catch (error) {
      return callback(error as Error);
    }
    callback(null, { file, entries });
  });
}

function addAll(options: ImportOptions, statements: Statement[], callback: Callback<ImportSummary>): void {
  const summary: ImportSummary = { files: 0, added: 0, known: 0 };

  function next(index: number) {
    const statement = statements[index];
    if (statement === undefined) return callback(null, summary);
    options.store.append(statement.entries, (error, added) => {
      if (error) return callback(error);
      moveFile(statement.file, options.archive, (error) => {
        if (error) return callback(error);
        summary.files += 1;
        summary.added += added!;
        summary.known += statement.entries.length - added!;
        options.onFile?.(path.basename(statement.file), added!);
        next(index + 1);
      });
    });
  }

  next(0);
}
