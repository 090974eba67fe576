import * as path from "node:path";
import type { LooseConfig } from "./config";
import { parseDuration } from "./units";

/** Milliseconds to wait after an attempt (from 1) failed; nothing if that was the last. */
export function nextDelay(config: LooseConfig, attempt: number): number | undefined {
  let delays = config.get("queue.retryDelays", ["1m", "5m", "30m"]);
  if (typeof delays === "string") delays = delays.split(",");
  const delay = delays[attempt - 1];
  return typeof delay === "string" ? parseDuration(delay) : delay;
}

/** Where a message waits. */
export function queuePath(config: LooseConfig, id: string): string {
  return path.posix.join(config.get("queue.directory", "queue"), `${id}.eml`);
}
