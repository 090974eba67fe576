import type { Hub } from "./hub";
import { type Scheduler, systemScheduler } from "./scheduler";

export class TimeoutError extends Error {
  override name = "TimeoutError";
}

export interface WaitOptions {
  timeoutMs?: number;
  scheduler?: Scheduler;
  signal?: AbortSignal;
}

/**
 * The first value of a topic that fits. Rejects with a `TimeoutError` when time is over, with the signal's reason when it
 * is aborted, and with what `fits` throws.
 */
export function waitFor(
  hub: Hub,
  topic: string,
  fits: (value: unknown) => boolean,
  { timeoutMs, scheduler = systemScheduler, signal }: WaitOptions = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    hub.subscribe(topic, (value) => {
      try {
        if (fits(value)) resolve(value);
      } catch (error) {
        reject(error);
      }
    });
    if (timeoutMs !== undefined) {
      scheduler.after(timeoutMs, () => reject(new TimeoutError(`${topic}: nothing fits after ${timeoutMs} ms`)));
    }
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}
