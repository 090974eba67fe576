export interface StoredEntry {
  value: string;
  /** Another one after each write; never 0. */
  version: number;
}

/** What we use of the store that all instances share. Both may reject when the store cannot be reached. */
export interface SharedStore {
  get(key: string): Promise<StoredEntry | undefined>;
  /**
   * Writes an entry if it has the version that it is said to have, 0 for one that is not there, and tells whether it did.
   * The entry is forgotten `ttlMs` later.
   */
  put(key: string, value: string, version: number, ttlMs: number): Promise<boolean>;
}

interface Kept extends StoredEntry {
  expires: number;
}

/** A shared store in the memory of one process. */
export class MemoryStore implements SharedStore {
  readonly #entries = new Map<string, Kept>();
  readonly #now: () => number;
  #version = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async get(key: string): Promise<StoredEntry | undefined> {
    const entry = this.#live(key);
    return entry && { value: entry.value, version: entry.version };
  }

  async put(key: string, value: string, version: number, ttlMs: number): Promise<boolean> {
    if ((this.#live(key)?.version ?? 0) !== version) return false;
    this.#version += 1;
    this.#entries.set(key, { value, version: this.#version, expires: this.#now() + ttlMs });
    return true;
  }

  /** How many entries have not been forgotten. */
  get size(): number {
    for (const key of [...this.#entries.keys()]) this.#live(key);
    return this.#entries.size;
  }

  #live(key: string): Kept | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.expires <= this.#now()) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry;
  }
}
