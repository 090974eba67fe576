import { format } from "@time-tools/duration";

/** A stopwatch; `now` is the clock, in milliseconds. */
export class Timer {
  #now;
  #begin;
  #laps = [];

  constructor(now = Date.now) {
    this.#now = now;
    this.#begin = now();
  }

  /** Ends a lap and says how long it took. */
  lap() {
    const time = this.#now();
    const took = time - this.#begin;
    this.#begin = time;
    this.#laps.push(took);
    return format(took, { parts: 2 });
  }

  /** How long all laps took. */
  total() {
    return format(this.#laps.reduce((sum, lap) => sum + lap, 0), { parts: 3 });
  }
}
