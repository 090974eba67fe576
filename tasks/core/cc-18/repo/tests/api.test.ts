import { beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../src/app.ts";
import { MemoryStore } from "../src/shared-store.ts";

const accounts = new Map([
  ["ines", { password: "correct horse", token: "t-ines" }],
  ["tom", { password: "battery staple", token: "t-tom" }],
]);
let app: ReturnType<typeof createApp>;

beforeEach(() => {
  let id = 0;
  app = createApp({ accounts, log: () => {}, nextId: () => `r${++id}` });
});

const call = (method: string, path: string, { body, token = "t-ines" }: { body?: unknown; token?: string } = {}) =>
  app.request(path, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

describe("login", () => {
  it("gives a token for the right password", async () => {
    const right = await call("POST", "/login", { body: { user: "ines", password: "correct horse" } });
    expect([right.status, await right.json()]).toEqual([200, { token: "t-ines" }]);
    expect((await call("POST", "/login", { body: { user: "ines", password: "wrong" } })).status).toBe(401);
    expect((await call("POST", "/login", { body: { user: 1 } })).status).toBe(400);
  });
});

describe("notes", () => {
  it("belong to their user", async () => {
    expect((await call("POST", "/api/notes", { body: { text: "buy milk" } })).status).toBe(201);
    expect(await (await call("GET", "/api/notes")).json()).toEqual({ notes: [{ id: "n1", text: "buy milk" }] });
    expect(await (await call("GET", "/api/notes", { token: "t-tom" })).json()).toEqual({ notes: [] });
    expect(await (await call("GET", "/api/notes/n1/raw")).text()).toBe("buy milk");
    expect((await call("DELETE", "/api/notes/n1", { token: "t-tom" })).status).toBe(404);
    expect((await call("DELETE", "/api/notes/n1")).status).toBe(204);
  });

  it("need a token", async () => {
    const answer = await call("GET", "/api/notes", { token: "nobody" });
    expect([answer.status, await answer.json()]).toEqual([401, { error: "unauthorized" }]);
  });

  it("have answers with ids", async () => {
    expect((await call("GET", "/api/notes")).headers.get("X-Request-Id")).toBe("r1");
    expect((await call("GET", "/nowhere")).headers.get("X-Request-Id")).toBe("r2");
  });
});

describe("MemoryStore", () => {
  it("writes what has not changed, and forgets", async () => {
    let now = 0;
    const store = new MemoryStore(() => now);
    expect(await store.put("a", "1", 0, 100)).toBe(true);
    const entry = (await store.get("a"))!;
    expect(await store.put("a", "2", 0, 100)).toBe(false);
    expect(await store.put("a", "2", entry.version, 100)).toBe(true);
    expect(await store.put("a", "3", entry.version, 100)).toBe(false);
    expect([(await store.get("a"))?.value, store.size]).toEqual(["2", 1]);
    now = 100;
    expect([await store.get("a"), store.size]).toEqual([undefined, 0]);
  });
});
