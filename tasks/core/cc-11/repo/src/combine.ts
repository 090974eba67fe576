import type { Hub, SubscribeOptions, Subscription } from "./hub";

export interface Feed<T> {
  subscribe(handler: (value: T) => void, options?: SubscribeOptions): Subscription;
}

/**
 * A value made of the last values of several topics, as soon as there is one of each. The topics are subscribed to once,
 * however many subscribers the feed has; a subscriber that comes later gets the last combined value at once.
 */
export function combine<T>(hub: Hub, topics: readonly string[], make: (values: unknown[]) => T): Feed<T> {
  const handlers = new Set<(value: T) => void>();
  const latest = new Map<number, unknown>();
  let inner: Subscription[] = [];
  let combined: { value: T } | undefined;

  function update(index: number, value: unknown): void {
    latest.set(index, value);
    if (latest.size < topics.length) return;
    combined = { value: make(topics.map((_, i) => latest.get(i))) };
    for (const handler of handlers) handler(combined.value);
  }

  return {
    subscribe(handler, { signal } = {}) {
      handlers.add(handler);
      if (combined !== undefined) handler(combined.value);
      if (inner.length === 0) inner = topics.map((topic, index) => hub.subscribe(topic, (value) => update(index, value)));
      let closed = false;
      const close = () => {
        closed = true;
        handlers.delete(handler);
      };
      signal?.addEventListener("abort", close);
      return {
        topic: topics.join("+"),
        get closed() {
          return closed;
        },
        close,
      };
    },
  };
}
