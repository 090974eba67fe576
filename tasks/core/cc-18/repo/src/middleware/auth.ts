import { createMiddleware } from "hono/factory";
import { ApiError } from "../errors.ts";
import type { Account, Env } from "../types.ts";

/** Lets requests with the token of an account pass and remembers whose it is. */
export function bearer(accounts: ReadonlyMap<string, Account>) {
  const users = new Map([...accounts].map(([user, { token }]) => [token, user]));
  return createMiddleware<Env>(async (c, next) => {
    const [scheme, token] = (c.req.header("Authorization") ?? "").split(" ");
    const user = scheme === "Bearer" && token !== undefined ? users.get(token) : undefined;
    if (user === undefined) throw new ApiError(401, "unauthorized");
    c.set("user", user);
    await next();
  });
}
