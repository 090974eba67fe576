import { Hono } from "hono";
import { ApiError } from "../errors.ts";
import type { Env, Note } from "../types.ts";

export function noteRoutes() {
  const routes = new Hono<Env>();
  const notes = new Map<string, Note[]>();
  let next = 1;

  const of = (user: string) => notes.get(user) ?? [];
  const find = (user: string, id: string) => {
    const note = of(user).find((one) => one.id === id);
    if (note === undefined) throw new ApiError(404, "not_found");
    return note;
  };

  routes.get("/", (c) => c.json({ notes: of(c.get("user")) }));

  routes.post("/", async (c) => {
    const body = (await c.req.json().catch(() => null)) as { text?: unknown } | null;
    if (typeof body?.text !== "string" || body.text === "") throw new ApiError(400, "invalid_body");
    const note = { id: `n${next++}`, text: body.text };
    notes.set(c.get("user"), [...of(c.get("user")), note]);
    return c.json(note, 201);
  });

  routes.get("/:id/raw", (c) => {
    const { text } = find(c.get("user"), c.req.param("id"));
    return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  });

  routes.delete("/:id", (c) => {
    const note = find(c.get("user"), c.req.param("id"));
    notes.set(c.get("user"), of(c.get("user")).filter((one) => one !== note));
    return c.body(null, 204);
  });

  return routes;
}
