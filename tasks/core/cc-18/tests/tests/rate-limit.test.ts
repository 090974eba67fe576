import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { createApp } from "../src/app.ts";
import { ApiError, onError } from "../src/errors.ts";
import { clientAddress, rateLimit } from "../src/middleware/rate-limit.ts";
import { MemoryStore, type SharedStore, type StoredEntry } from "../src/shared-store.ts";
import type { Env } from "../src/types.ts";

const START = 1_741_165_200_000;
const MINUTE = 60_000;

function clock() {
  let time = START;
  return { now: () => time, wait: (ms: number) => (time += ms), set: (ms: number) => (time = START + ms) };
}

type Options = Parameters<typeof rateLimit>[0];

/** A small application with one limit. */
function limited(options: Partial<Options> & Pick<Options, "store">) {
  const app = new Hono<Env>();
  app.onError(onError(() => {}));
  app.use(rateLimit({ name: "test", limit: 3, windowMs: MINUTE, ...options }));
  app.get("/", (c) => c.json({ ok: true }));
  app.get("/raw", () => new Response("raw", { headers: { "X-Own": "1" } }));
  app.get("/teapot", () => {
    throw new ApiError(409, "teapot");
  });
  app.get("/broken", () => {
    throw new Error("broken");
  });
  return (path = "/", { from = "10.0.0.1", forwarded }: { from?: string; forwarded?: string } = {}) =>
    app.request(path, { headers: forwarded === undefined ? {} : { "X-Forwarded-For": forwarded } }, { remoteAddress: from });
}

const headers = (answer: Response) =>
  ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"].map((name) => answer.headers.get(name));

/** A store over a network: whoever asks at the same time is told the same. */
class FarStore implements SharedStore {
  puts = 0;
  readonly keys = new Set<string>();
  readonly sizes: number[] = [];

  constructor(readonly inner: MemoryStore) {}

  async get(key: string): Promise<StoredEntry | undefined> {
    const entry = await this.inner.get(key);
    await new Promise((resolve) => setImmediate(resolve));
    return entry;
  }

  async put(key: string, value: string, version: number, ttlMs: number): Promise<boolean> {
    await Promise.resolve();
    this.puts += 1;
    this.keys.add(key);
    this.sizes.push(value.length);
    return this.inner.put(key, value, version, ttlMs);
  }
}

const broken: SharedStore = {
  get: () => Promise.reject(new Error("connection refused")),
  put: () => Promise.reject(new Error("connection refused")),
};

describe("rateLimit", () => {
  it("lets so many requests pass and refuses the next", async () => {
    const { now } = clock();
    const call = limited({ store: new MemoryStore(now), now });
    expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([200, 200, 200]);
    const refused = await call();
    expect([refused.status, await refused.json()]).toEqual([429, { error: "rate_limited" }]);
  });

  it("says in its headers how it stands", async () => {
    const { now, set } = clock();
    const call = limited({ store: new MemoryStore(now), now });
    expect(headers(await call())).toEqual(["3", "2", "60", null]);
    set(10_500);
    expect(headers(await call())).toEqual(["3", "1", "50", null]);
    set(20_001);
    expect(headers(await call())).toEqual(["3", "0", "40", null]);
    set(30_000);
    expect(headers(await call())).toEqual(["3", "0", "30", "30"]);
    set(59_999);
    expect(headers(await call())).toEqual(["3", "0", "1", "1"]);
    set(60_000);
    expect(headers(await call())).toEqual(["3", "0", "11", null]);
  });

  it("never lets more pass in any window", async () => {
    const { now, set } = clock();
    const call = limited({ store: new MemoryStore(now), now });
    const passed: number[] = [];
    for (let at = 0; at <= 4 * MINUTE; at += 1_700) {
      set(at);
      if ((await call()).status === 200) passed.push(at);
    }
    for (const begin of passed) {
      expect(passed.filter((at) => at >= begin && at < begin + MINUTE).length).toBeLessThanOrEqual(3);
    }
    expect(passed).toEqual([0, 1_700, 3_400, 61_200, 62_900, 64_600, 122_400, 124_100, 125_800, 183_600, 185_300, 187_000]);
  });

  it("is not fooled at the edge of two minutes", async () => {
    const { now, set } = clock();
    const call = limited({ store: new MemoryStore(now), now });
    const at = async (ms: number) => (set(ms), (await call()).status);
    expect([await at(59_000), await at(59_500), await at(59_900)]).toEqual([200, 200, 200]);
    expect([await at(60_000), await at(61_000), await at(118_999)]).toEqual([429, 429, 429]);
    expect([await at(119_000), await at(119_000), await at(119_500), await at(119_899), await at(119_900)]).toEqual([200, 429, 200, 429, 200]);
  });

  it("does not count what it refuses", async () => {
    const { now, set } = clock();
    const store = new FarStore(new MemoryStore(now));
    const call = limited({ store, now });
    for (let i = 0; i < 3; i += 1) await call();
    const { puts } = store;
    for (let at = 1_000; at < MINUTE; at += 1_000) {
      set(at);
      expect((await call()).status).toBe(429);
    }
    expect(store.puts).toBe(puts);
    set(MINUTE);
    expect((await call()).status).toBe(200);
  });

  it("counts keys apart", async () => {
    const { now } = clock();
    const call = limited({ store: new MemoryStore(now), now, limit: 1 });
    expect((await call("/", { from: "10.0.0.1" })).status).toBe(200);
    expect((await call("/", { from: "10.0.0.2" })).status).toBe(200);
    expect((await call("/", { from: "10.0.0.1" })).status).toBe(429);
    const byPath = limited({ store: new MemoryStore(now), now, limit: 1, key: (c) => c.req.path });
    expect([(await byPath("/")).status, (await byPath("/raw")).status, (await byPath("/")).status]).toEqual([200, 200, 429]);
  });

  it("counts names apart", async () => {
    const { now } = clock();
    const store = new MemoryStore(now);
    const one = limited({ store, now, limit: 1, name: "one" });
    const other = limited({ store, now, limit: 1, name: "other" });
    expect([(await one()).status, (await other()).status, (await one()).status]).toEqual([200, 200, 429]);
    const tricky = limited({ store, now, limit: 1, name: "a", key: () => "b:c" });
    const trap = limited({ store, now, limit: 1, name: "a:b", key: () => "c" });
    expect([(await tricky()).status, (await trap()).status]).toEqual([200, 200]);
  });

  it.each(["/", "/raw", "/teapot", "/broken", "/nowhere"])("marks what %s answers", async (path) => {
    const { now } = clock();
    const call = limited({ store: new MemoryStore(now), now });
    const answer = await call(path);
    expect(headers(answer)).toEqual(["3", "2", "60", null]);
    if (path === "/raw") expect([await answer.text(), answer.headers.get("X-Own")]).toEqual(["raw", "1"]);
    if (path === "/teapot") expect(await answer.json()).toEqual({ error: "teapot" });
  });

  it("refuses options that make no sense", () => {
    const store = new MemoryStore();
    const wrong: Partial<Options>[] = [0, -1, 1.5, NaN, Infinity].flatMap((value) => [{ limit: value }, { windowMs: value }]);
    wrong.push({ trustedProxies: -1 }, { trustedProxies: 0.5 }, { trustedProxies: NaN });
    for (const options of wrong) {
      expect(() => rateLimit({ name: "x", limit: 1, windowMs: 1, store, ...options }), JSON.stringify(options)).toThrow(RangeError);
    }
  });
});

describe("the store", () => {
  it("is shared by requests at the same time", async () => {
    const { now } = clock();
    const store = new FarStore(new MemoryStore(now));
    const call = limited({ store, now, limit: 10 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => call()));
    const passed = answers.filter(({ status }) => status === 200);
    expect([passed.length, answers.filter(({ status }) => status === 429).length]).toEqual([10, 40]);
    expect(passed.map((answer) => Number(answer.headers.get("RateLimit-Remaining"))).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("is shared by instances", async () => {
    const { now } = clock();
    const memory = new MemoryStore(now);
    const stores = Array.from({ length: 4 }, () => new FarStore(memory));
    const calls = stores.map((store) => limited({ store, now, limit: 6 }));
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => calls[i % 4]!()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
  });

  it("holds what is needed, and no longer", async () => {
    const { now, set } = clock();
    const memory = new MemoryStore(now);
    const store = new FarStore(memory);
    const call = limited({ store, now, limit: 2 });
    await call();
    set(30_000);
    await call();
    set(89_999);
    await call("/", { from: "10.0.0.2" });
    expect(memory.size).toBe(2);
    set(90_000);
    expect(memory.size).toBe(1);
    set(149_999);
    expect(memory.size).toBe(0);
  });

  it("does not grow with the requests of one client", async () => {
    const { now, wait } = clock();
    const store = new FarStore(new MemoryStore(now));
    const call = limited({ store, now, limit: 2 });
    for (let i = 0; i < 200; i += 1) {
      expect((await call()).status).toBe(200);
      wait(30_000);
    }
    expect(store.keys.size).toBe(1);
    expect(Math.max(...store.sizes)).toBeLessThanOrEqual(2 * store.sizes[0]! + 64);
  });

  it("may fail", async () => {
    for (const store of [broken, { ...broken, get: async () => undefined }]) {
      const open = await limited({ store })();
      expect([open.status, await open.json(), ...headers(open)]).toEqual([200, { ok: true }, null, null, null, null]);
      const closed = await limited({ store, onStoreError: "deny" })();
      expect([closed.status, await closed.json()]).toEqual([503, { error: "unavailable" }]);
    }
  });

  it("may fail, but errors of handlers are theirs", async () => {
    const { now } = clock();
    const call = limited({ store: new MemoryStore(now), now, onStoreError: "deny" });
    expect([(await call("/broken")).status, (await call("/teapot")).status]).toEqual([500, 409]);
  });
});

describe("clientAddress", () => {
  const address = async (trustedProxies: number, forwarded?: string) => {
    const app = new Hono<Env>();
    app.get("/", (c) => c.text(clientAddress(c, trustedProxies)));
    const headers: Record<string, string> = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
    return (await app.request("/", { headers }, { remoteAddress: "10.0.0.9" })).text();
  };

  it("is that of the socket without proxies", async () => {
    expect([await address(0), await address(0, "1.1.1.1, 2.2.2.2")]).toEqual(["10.0.0.9", "10.0.0.9"]);
  });

  it("is what the trusted proxies saw", async () => {
    expect(await address(1, "6.6.6.6, 203.0.113.7")).toBe("203.0.113.7");
    expect(await address(1, "203.0.113.7")).toBe("203.0.113.7");
    expect(await address(2, "6.6.6.6 ,  203.0.113.7  , 10.0.0.2")).toBe("203.0.113.7");
    expect(await address(1, "6.6.6.6,2001:db8::7")).toBe("2001:db8::7");
  });

  it("is the first where proxies are missing", async () => {
    expect([await address(1), await address(3, "203.0.113.7, 10.0.0.2")]).toEqual(["10.0.0.9", "203.0.113.7"]);
  });

  it("cannot be chosen by the client", async () => {
    const { now } = clock();
    for (const trustedProxies of [0, 1, 2]) {
      const call = limited({ store: new MemoryStore(now), now, trustedProxies });
      const statuses: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const honest = trustedProxies === 2 ? "203.0.113.7, 10.0.0.2" : "203.0.113.7";
        statuses.push((await call("/", { forwarded: `6.6.6.${i}, 7.7.7.${i}, ${honest}` })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    }
  });
});

describe("createApp", () => {
  const accounts = new Map([
    ["ines", { password: "correct horse", token: "t-ines" }],
    ["tom", { password: "battery staple", token: "t-tom" }],
  ]);

  function serve(store?: SharedStore, trustedProxies?: number) {
    const time = clock();
    const app = createApp({ accounts, log: () => {}, nextId: () => "r1", store: store ?? new MemoryStore(time.now), now: time.now, trustedProxies });
    const login = (password: string, from = "10.0.0.1", forwarded?: string) =>
      app.request(
        "/login",
        {
          method: "POST",
          headers: { "Content-Type": "application/json", ...(forwarded === undefined ? {} : { "X-Forwarded-For": forwarded }) },
          body: JSON.stringify({ user: "ines", password }),
        },
        { remoteAddress: from },
      );
    const notes = (token: string, from = "10.0.0.1") =>
      app.request("/api/notes", { headers: { Authorization: `Bearer ${token}` } }, { remoteAddress: from });
    return { app, login, notes, ...time };
  }

  it("limits logins by address", async () => {
    const { login, wait } = serve();
    for (let i = 0; i < 5; i += 1) expect((await login(`guess ${i}`, "10.0.0.1", `6.6.6.${i}`)).status).toBe(401);
    const refused = await login("correct horse", "10.0.0.1", "6.6.6.9");
    expect([refused.status, refused.headers.get("Retry-After"), refused.headers.get("X-Request-Id")]).toEqual([429, "60", "r1"]);
    expect((await login("correct horse", "10.0.0.2")).status).toBe(200);
    wait(MINUTE);
    expect((await login("correct horse")).status).toBe(200);
  });

  it("sees through its proxies", async () => {
    const { login } = serve(undefined, 1);
    for (let i = 0; i < 5; i += 1) await login("guess", "10.0.0.1", `6.6.6.${i}, 203.0.113.7`);
    expect((await login("guess", "10.0.0.1", "203.0.113.7")).status).toBe(429);
    expect((await login("guess", "10.0.0.1", "203.0.113.8")).status).toBe(401);
  });

  it("limits the API by user", async () => {
    const { notes, app } = serve();
    for (let i = 0; i < 60; i += 1) expect((await notes("t-ines", `10.0.1.${i}`)).status).toBe(200);
    const refused = await notes("t-ines");
    expect([refused.status, refused.headers.get("RateLimit-Limit")]).toEqual([429, "60"]);
    expect((await notes("t-tom")).status).toBe(200);
    expect((await app.request("/health")).status).toBe(200);
  });

  it("does not count requests without a token", async () => {
    const { notes } = serve();
    for (let i = 0; i < 70; i += 1) expect((await notes("nobody")).status).toBe(401);
    expect((await notes("t-ines")).headers.get("RateLimit-Remaining")).toBe("59");
  });

  it("counts logins and the API apart, and /health not at all", async () => {
    const { login, notes, app } = serve();
    for (let i = 0; i < 6; i += 1) await login("guess");
    expect((await notes("t-ines")).status).toBe(200);
    const health = await app.request("/health", {}, { remoteAddress: "10.0.0.1" });
    expect([health.status, health.headers.get("RateLimit-Limit")]).toEqual([200, null]);
  });

  it("goes on without the store, but not with logins", async () => {
    const { login, notes } = serve(broken);
    expect((await notes("t-ines")).status).toBe(200);
    expect((await login("correct horse")).status).toBe(503);
  });

  it("brings a store of its own", async () => {
    const app = createApp({ accounts, log: () => {}, now: () => START });
    const login = () => app.request("/login", { method: "POST", body: "{}" }, { remoteAddress: "10.0.0.1" });
    for (let i = 0; i < 5; i += 1) expect((await login()).status).toBe(400);
    expect((await login()).status).toBe(429);
  });
});
