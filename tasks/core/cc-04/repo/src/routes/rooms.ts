import { Hono } from "hono";
import type { Store } from "../store.ts";
import type { Env } from "../types.ts";

export function roomRoutes(store: Store) {
  const routes = new Hono<Env>();
  routes.get("/", (c) => c.json({ rooms: store.rooms() }));
  return routes;
}
