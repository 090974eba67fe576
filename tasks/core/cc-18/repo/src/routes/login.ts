import { Hono } from "hono";
import { ApiError } from "../errors.ts";
import type { Account, Env } from "../types.ts";

export function loginRoutes(accounts: ReadonlyMap<string, Account>) {
  const routes = new Hono<Env>();

  routes.post("/", async (c) => {
    const body = (await c.req.json().catch(() => null)) as { user?: unknown; password?: unknown } | null;
    if (typeof body?.user !== "string" || typeof body.password !== "string") throw new ApiError(400, "invalid_body");
    const account = accounts.get(body.user);
    if (account === undefined || account.password !== body.password) throw new ApiError(401, "wrong_login");
    return c.json({ token: account.token });
  });

  return routes;
}
