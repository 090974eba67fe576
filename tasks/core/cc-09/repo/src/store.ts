import { type Callback, readText, writeAtomic } from "./files";
import type { Entry } from "./parse";

export class StoreError extends Error {
  override name = "StoreError";
}

/** The ledger: a JSON file that may not be there yet. */
export class LedgerStore {
  readonly #file: string;
  readonly #waiting: (() => void)[] = [];
  #busy = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** All entries, by date. */
  load(callback: Callback<Entry[]>): void {
    readText(this.#file, (error, text) => {
      if (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return callback(null, []);
        return callback(error);
      }
      let entries: unknown;
      try {
        entries = JSON.parse(text!);
      } catch (cause) {
        return callback(new StoreError(`${this.#file} is no JSON`, { cause }));
      }
      if (!Array.isArray(entries)) return callback(new StoreError(`${this.#file} is no list`));
      callback(null, entries as Entry[]);
    });
  }

  /** Adds the entries that are new and gives back how many they were. */
  append(entries: readonly Entry[], callback: Callback<number>): void {
    this.#waiting.push(() => {
      this.#add(entries, (error, added) => {
        this.#busy = false;
        this.#proceed();
        callback(error, added);
      });
    });
    this.#proceed();
  }

  #proceed(): void {
    if (this.#busy) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#busy = true;
    job();
  }

  #add(entries: readonly Entry[], callback: Callback<number>): void {
    this.load((error, known) => {
      if (error) return callback(error);
      const ids = new Set(known!.map((entry) => entry.id));
      const fresh: Entry[] = [];
      for (const entry of entries) {
        if (ids.has(entry.id)) continue;
        ids.add(entry.id);
        fresh.push(entry);
      }
      if (fresh.length === 0) return callback(null, 0);
      const all = [...known!, ...fresh].sort((a, b) => a.date.localeCompare(b.date));
      writeAtomic(this.#file, JSON.stringify(all, null, 2) + "\n", (error) => {
        if (error) return callback(error);
        callback(null, fresh.length);
      });
    });
  }
}
