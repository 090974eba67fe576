import type { Callback } from "./files";

/**
 * Works on items, at most `limit` at a time, and gives back the results in the order of the items. After a failure no
 * more items are begun; the callback hears of the first failure once nothing runs any more.
 */
export function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  worker: (item: T, index: number, done: Callback<R>) => void,
  callback: Callback<R[]>,
): void {
  if (!Number.isInteger(limit) || limit < 1) return callback(new RangeError("limit must be a whole number above zero"));
  const results = new Array<R>(items.length);
  let next = 0;
  let running = 0;
  let failure: Error | null = null;

  function proceed() {
    if (running === 0 && (failure !== null || next === items.length)) {
      if (failure) callback(failure);
      else callback(null, results);
      return;
    }
    while (failure === null && running < limit && next < items.length) begin(next++);
  }

  function begin(index: number) {
    running += 1;
    worker(items[index]!, index, (error, value) => {
      running -= 1;
      if (error) failure ??= error;
      else results[index] = value as R;
      process.nextTick(proceed);
    });
  }

  proceed();
}
