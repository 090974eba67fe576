export interface CacheOptions<K, V> {
  /** Most entries that are held. */
  max: number;
  /** Milliseconds that an entry lives; for ever if absent. */
  ttl?: number;
  /** Told of entries that leave because the cache is full or their time is over. */
  onEvict?: (key: K, value: V) => void;
  /** The clock, in milliseconds. */
  now?: () => number;
}

export interface CacheStats {
  hits: number;
  misses: number;
  size: number;
}

interface Entry<V> {
  value: V;
  expires: number;
}

/** A cache with a size and a time to live; the entry that was used least recently goes first. */
export class Cache<K, V> {
  // A Map keeps the order of insertion: the first key is the one that was used least recently.
  readonly #entries = new Map<K, Entry<V>>();
  readonly #max: number;
  readonly #ttl: number;
  readonly #onEvict: (key: K, value: V) => void;
  readonly #now: () => number;
  #hits = 0;
  #misses = 0;

  constructor(options: CacheOptions<K, V>) {
    if (!Number.isInteger(options.max) || options.max < 1) {
      throw new RangeError("max must be a whole number above zero");
    }
    this.#max = options.max;
    this.#ttl = options.ttl ?? Infinity;
    this.#onEvict = options.onEvict ?? (() => {});
    this.#now = options.now ?? Date.now;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expires <= this.#now()) {
      this.#misses += 1;
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#hits += 1;
    return entry.value;
  }

  set(key: K, value: V): void {
    this.#entries.set(key, { value, expires: this.#now() + this.#ttl });
    if (this.#entries.size > this.#max) {
      const [oldest, entry] = this.#entries.entries().next().value!;
      this.#entries.delete(oldest);
      this.#onEvict(oldest, entry.value);
    }
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  keys(): K[] {
    return [...this.#entries.keys()];
  }

  stats(): CacheStats {
    return { hits: this.#hits, misses: this.#misses, size: this.size };
  }
}
