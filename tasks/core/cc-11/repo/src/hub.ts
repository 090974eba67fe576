export type Handler = (value: unknown) => void;

/** Where values come from. */
export interface Source {
  /** Calls back with every value of a topic until the function that it gives back is called. */
  listen(topic: string, onValue: Handler): () => void;
}

export interface Subscription {
  readonly topic: string;
  readonly closed: boolean;
  close(): void;
}

export interface SubscribeOptions {
  signal?: AbortSignal;
}

export interface HubOptions {
  onError?: (error: unknown, topic: string) => void;
}

export interface HubStats {
  topics: number;
  subscriptions: number;
}

interface Topic {
  handlers: Set<Handler>;
  /** How many subscriptions there are. */
  count: number;
  last?: { value: unknown };
  stop?: () => void;
}

/** Passes the values of a source on to subscribers. */
export class Hub {
  readonly #source: Source;
  readonly #onError: (error: unknown, topic: string) => void;
  readonly #topics = new Map<string, Topic>();

  constructor(source: Source, { onError = () => {} }: HubOptions = {}) {
    this.#source = source;
    this.#onError = onError;
  }

  subscribe(name: string, handler: Handler, { signal }: SubscribeOptions = {}): Subscription {
    const topic = this.#topic(name);
    topic.handlers.add(handler);
    topic.count += 1;
    let closed = false;
    const close = () => {
      closed = true;
      topic.handlers.delete(handler);
      topic.count -= 1;
      if (topic.count === 0) topic.stop?.();
    };
    signal?.addEventListener("abort", () => close());
    if (topic.last !== undefined) this.#call(name, handler, topic.last.value);
    return {
      topic: name,
      get closed() {
        return closed;
      },
      close,
    };
  }

  stats(): HubStats {
    let subscriptions = 0;
    for (const topic of this.#topics.values()) subscriptions += topic.count;
    return { topics: this.#topics.size, subscriptions };
  }

  #topic(name: string): Topic {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = { handlers: new Set(), count: 0 };
      this.#topics.set(name, topic);
      topic.stop = this.#source.listen(name, (value) => this.#deliver(name, value));
    }
    return topic;
  }

  #deliver(name: string, value: unknown): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    topic.last = { value };
    for (const handler of topic.handlers) this.#call(name, handler, value);
  }

  #call(name: string, handler: Handler, value: unknown): void {
    try {
      handler(value);
    } catch (error) {
      this.#onError(error, name);
    }
  }
}
