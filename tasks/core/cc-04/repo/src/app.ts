import { Hono } from "hono";
import { bearer } from "./auth.ts";
import { ApiError, type Log, onError } from "./errors.ts";
import { bookingRoutes } from "./routes/bookings.ts";
import { roomRoutes } from "./routes/rooms.ts";
import type { Store } from "./store.ts";
import type { Env, User } from "./types.ts";

export interface AppOptions {
  store: Store;
  tokens: ReadonlyMap<string, User>;
  log?: Log;
}

/** The application without a socket: `createApp(…).request(…)` answers in tests. */
export function createApp({ store, tokens, log = console.error }: AppOptions) {
  const app = new Hono<Env>();
  app.onError(onError(log));
  app.notFound(() => {
    throw new ApiError(404, "not_found");
  });
  app.get("/health", (c) => c.json({ ok: true }));
  app.use("/api/*", bearer(tokens));
  app.route("/api/rooms", roomRoutes(store));
  app.route("/api/bookings", bookingRoutes(store));
  return app;
}
