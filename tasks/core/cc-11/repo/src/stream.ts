import type { Hub } from "./hub";

export interface StreamOptions {
  signal?: AbortSignal;
  /** How many values wait for a slow reader; older ones go first. 100 by default. */
  buffer?: number;
}

/** The values of a topic, one after the other. The signal ends the stream without an error. */
export function stream(hub: Hub, topic: string, { signal, buffer = 100 }: StreamOptions = {}): AsyncIterable<unknown> {
  const values: unknown[] = [];
  let wake: ((result: IteratorResult<unknown>) => void) | undefined;
  let done = false;

  hub.subscribe(topic, (value) => {
    if (wake !== undefined) {
      wake({ done: false, value });
      wake = undefined;
      return;
    }
    values.push(value);
    if (values.length > buffer) values.shift();
  });
  signal?.addEventListener("abort", () => {
    done = true;
    wake?.({ done: true, value: undefined });
  });

  return {
    [Symbol.asyncIterator]() {
      return {
        next(): Promise<IteratorResult<unknown>> {
          if (done) return Promise.resolve({ done: true, value: undefined });
          if (values.length > 0) return Promise.resolve({ done: false, value: values.shift() });
          return new Promise((resolve) => {
            wake = resolve;
          });
        },
      };
    },
  };
}
