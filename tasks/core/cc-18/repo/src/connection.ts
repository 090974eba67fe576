import type { Context } from "hono";
import type { Env } from "./types.ts";

/** The address that the socket is connected to. */
export function remoteAddress(c: Context<Env>): string {
  return c.env?.remoteAddress ?? "unknown";
}
