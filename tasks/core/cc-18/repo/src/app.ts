import { Hono } from "hono";
import { type Log, onError } from "./errors.ts";
import { bearer } from "./middleware/auth.ts";
import { requestId } from "./middleware/request-id.ts";
import { loginRoutes } from "./routes/login.ts";
import { noteRoutes } from "./routes/notes.ts";
import type { Account, Env } from "./types.ts";

export interface AppOptions {
  accounts: ReadonlyMap<string, Account>;
  log?: Log;
  nextId?: () => string;
}

/** The application without a socket. */
export function createApp({ accounts, log = console.error, nextId = () => crypto.randomUUID() }: AppOptions) {
  const app = new Hono<Env>();
  app.onError(onError(log));
  app.notFound((c) => c.json({ error: "not_found" }, 404));
  app.use(requestId(nextId));
  app.get("/health", (c) => c.json({ ok: true }));
  app.route("/login", loginRoutes(accounts));
  app.use("/api/*", bearer(accounts));
  app.route("/api/notes", noteRoutes());
  return app;
}
