import type { LooseConfig } from "./config";
import { nextDelay } from "./queue";
import { transportOptions } from "./transport";

/** Lines for the log at the start. */
export function describeConfig(config: LooseConfig): string[] {
  const { host, port, secure, auth } = transportOptions(config);
  const delays: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const delay = nextDelay(config, attempt);
    if (delay === undefined) break;
    delays.push(delay / 1000);
  }
  return [
    `environment ${config.get("environment", "development")}`,
    `listening on ${config.get("listen.host", "127.0.0.1")}:${config.get("listen.port", 2525)}`,
    `passing on to ${host}:${port}${secure ? " (TLS)" : ""}${auth ? ` as ${auth.user}` : ""}`,
    `retries after ${delays.join(", ")} s`,
    `DKIM ${config.get("features.dkim", false) ? "on" : "off"}`,
  ];
}
