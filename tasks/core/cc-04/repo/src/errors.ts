import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** An error that the client is told about by a code. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(status: ContentfulStatusCode, code: string, details: Record<string, unknown> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export type Log = (message: string, error: unknown) => void;

/** Turns whatever a handler throws into an answer. */
export function onError(log: Log) {
  return (error: Error, c: Context): Response => {
    if (error instanceof ApiError) return c.json({ error: error.code, ...error.details }, error.status);
    if (error instanceof HTTPException) return error.getResponse();
    log(`${c.req.method} ${c.req.path}`, error);
    return c.json({ error: "internal" }, 500);
  };
}
