import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** An error that the client is told about by a code. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: ContentfulStatusCode;
  readonly code: string;

  constructor(status: ContentfulStatusCode, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export type Log = (message: string, error: unknown) => void;

export function onError(log: Log) {
  return (error: Error, c: Context): Response => {
    if (error instanceof ApiError) return c.json({ error: error.code }, error.status);
    log(`${c.req.method} ${c.req.path}`, error);
    return c.json({ error: "internal" }, 500);
  };
}
