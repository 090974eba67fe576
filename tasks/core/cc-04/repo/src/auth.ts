import { createMiddleware } from "hono/factory";
import { ApiError } from "./errors.ts";
import type { Env, User } from "./types.ts";

/** Lets requests with a known token pass and remembers whose it is. */
export function bearer(tokens: ReadonlyMap<string, User>) {
  return createMiddleware<Env>(async (c, next) => {
    const [scheme, token] = (c.req.header("Authorization") ?? "").split(" ");
    const user = scheme === "Bearer" && token !== undefined ? tokens.get(token) : undefined;
    if (user === undefined) throw new ApiError(401, "unauthorized");
    c.set("user", user);
    await next();
  });
}
