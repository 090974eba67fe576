import type { LooseConfig } from "./config";

/** Lets so many messages pass in each minute of the clock. */
export class Throttle {
  readonly #perMinute: number;
  readonly #now: () => number;
  #minute = -1;
  #taken = 0;

  constructor(config: LooseConfig, now: () => number) {
    this.#perMinute = Number(config.get("limits.messagesPerMinute", 60));
    this.#now = now;
  }

  take(): boolean {
    const minute = Math.floor(this.#now() / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#taken = 0;
    }
    if (this.#taken >= this.#perMinute) return false;
    this.#taken += 1;
    return true;
  }
}
