import { createMiddleware } from "hono/factory";

/** Gives every answer an id, the client's own where it sent a proper one. */
export function requestId(next: () => string) {
  return createMiddleware(async (c, proceed) => {
    const sent = c.req.header("X-Request-Id");
    const id = sent !== undefined && /^[\w-]{1,64}$/.test(sent) ? sent : next();
    await proceed();
    c.res.headers.set("X-Request-Id", id);
  });
}
