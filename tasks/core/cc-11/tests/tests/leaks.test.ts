import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { combine, type Handler, Hub, LiveServer, type Scheduler, Session, type Source, stream, TimeoutError, waitFor } from "../src/index";

/** A broker that counts who listens, and may keep the last message of a topic. */
class Broker implements Source {
  readonly open = new Map<string, Set<Handler>>();
  readonly kept = new Map<string, unknown>();
  listens = 0;
  stops = 0;

  listen(topic: string, onValue: Handler): () => void {
    this.listens += 1;
    // A function of its own, so that the same one may listen twice.
    const listener: Handler = (value) => onValue(value);
    const listeners = this.open.get(topic) ?? new Set();
    this.open.set(topic, listeners.add(listener));
    if (this.kept.has(topic)) listener(this.kept.get(topic));
    return () => {
      this.stops += 1;
      listeners.delete(listener);
      if (listeners.size === 0) this.open.delete(topic);
    };
  }

  say(topic: string, value: unknown): void {
    for (const listener of this.open.get(topic) ?? []) listener(value);
  }

  get topics(): string[] {
    return [...this.open.keys()].sort();
  }
}

class Timers implements Scheduler {
  readonly active = new Set<() => void>();

  after(_ms: number, task: () => void): () => void {
    const once = () => {
      this.active.delete(once);
      task();
    };
    this.active.add(once);
    return () => void this.active.delete(once);
  }

  every(_ms: number, task: () => void): () => void {
    const again = () => task();
    this.active.add(again);
    return () => void this.active.delete(again);
  }

  run(): void {
    for (const task of [...this.active]) task();
  }
}

class FakeSocket extends EventTarget {
  sent: { topic?: string; value?: unknown; op?: string; error?: string }[] = [];
  closes = 0;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as object);
  }

  close(): void {
    this.closes += 1;
    if (this.closes === 1) this.dispatchEvent(new Event("close"));
  }

  say(message: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  held(): number {
    return ["message", "close", "error"].reduce((sum, type) => sum + getEventListeners(this, type).length, 0);
  }
}

const waiting = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

function setup() {
  const broker = new Broker();
  const errors: unknown[] = [];
  const hub = new Hub(broker, { onError: (error) => errors.push(error) });
  const abort = new AbortController();
  /** Nothing is held any more. A server may have a listener of its own on its signal. */
  const clean = ({ serving = false } = {}) => {
    expect({ topics: broker.topics, stats: hub.stats(), errors }).toEqual({
      topics: [],
      stats: { topics: 0, subscriptions: 0 },
      errors: [],
    });
    expect(waiting(abort.signal)).toBeLessThanOrEqual(serving ? 1 : 0);
    expect(broker.stops).toBe(broker.listens);
  };
  return { broker, hub, abort, signal: abort.signal, clean, errors };
}

describe("Hub", () => {
  it("listens while there are subscriptions", () => {
    const { broker, hub, clean } = setup();
    const first = hub.subscribe("a", () => {});
    const second = hub.subscribe("a", () => {});
    const other = hub.subscribe("b", () => {});
    expect([broker.listens, broker.topics, hub.stats()]).toEqual([2, ["a", "b"], { topics: 2, subscriptions: 3 }]);
    first.close();
    other.close();
    expect([broker.topics, hub.stats()]).toEqual([["a"], { topics: 1, subscriptions: 1 }]);
    second.close();
    clean();
  });

  it("listens again for those who come later", () => {
    const { broker, hub, clean } = setup();
    const got: unknown[] = [];
    hub.subscribe("a", (value) => got.push(value)).close();
    const again = hub.subscribe("a", (value) => got.push(value));
    broker.say("a", 1);
    expect([got, broker.listens, broker.topics]).toEqual([[1], 2, ["a"]]);
    again.close();
    clean();
  });

  it("forgets what it knew of a topic that nobody wants", () => {
    const { broker, hub, clean } = setup();
    const first = hub.subscribe("a", () => {});
    broker.say("a", "old");
    first.close();
    const got: unknown[] = [];
    const second = hub.subscribe("a", (value) => got.push(value));
    expect(got).toEqual([]);
    second.close();
    clean();
  });

  it("does not remember topics", () => {
    const { hub, clean } = setup();
    for (let i = 0; i < 500; i += 1) hub.subscribe(`client/${i}`, () => {}).close();
    clean();
  });

  it("closes a subscription once", () => {
    const { broker, hub, clean } = setup();
    const got: unknown[] = [];
    const first = hub.subscribe("a", () => {});
    const second = hub.subscribe("a", (value) => got.push(value));
    first.close();
    first.close();
    expect(first.closed).toBe(true);
    expect(hub.stats()).toEqual({ topics: 1, subscriptions: 1 });
    broker.say("a", 1);
    expect(got).toEqual([1]);
    second.close();
    second.close();
    clean();
    hub.subscribe("a", () => {});
    first.close();
    second.close();
    expect([hub.stats(), broker.topics]).toEqual([{ topics: 1, subscriptions: 1 }, ["a"]]);
  });

  it("takes the same handler twice for two subscriptions", () => {
    const { broker, hub, clean } = setup();
    const got: unknown[] = [];
    const handler = (value: unknown) => got.push(value);
    const first = hub.subscribe("a", handler);
    const second = hub.subscribe("a", handler);
    broker.say("a", 1);
    expect(got).toEqual([1, 1]);
    first.close();
    broker.say("a", 2);
    expect(got).toEqual([1, 1, 2]);
    second.close();
    clean();
  });

  it("leaves no listener on a signal", () => {
    const { hub, abort, signal, clean } = setup();
    for (let i = 0; i < 3; i += 1) hub.subscribe("a", () => {}, { signal }).close();
    clean();
    const left = [hub.subscribe("a", () => {}, { signal }), hub.subscribe("b", () => {}, { signal })];
    abort.abort();
    expect(left.map(({ closed }) => closed)).toEqual([true, true]);
    left[0]!.close();
    clean();
  });

  it("gives back a closed subscription for an aborted signal", () => {
    const { broker, hub, abort, signal, clean } = setup();
    const keeper = hub.subscribe("a", () => {});
    broker.say("a", 1);
    abort.abort();
    const got: unknown[] = [];
    const subscription = hub.subscribe("a", (value) => got.push(value), { signal });
    broker.say("a", 2);
    expect([subscription.closed, subscription.topic, got]).toEqual([true, "a", []]);
    keeper.close();
    clean();
    hub.subscribe("b", () => {}, { signal });
    clean();
  });

  it("delivers nothing to what was closed during the delivery", () => {
    const { broker, hub, clean } = setup();
    const got: string[] = [];
    const first = hub.subscribe("a", () => {
      got.push("first");
      second.close();
      first.close();
    });
    const second = hub.subscribe("a", () => got.push("second"));
    broker.say("a", 1);
    expect(got).toEqual(["first"]);
    clean();
  });

  it("may be left while the source is still starting to listen", () => {
    const { broker, hub, abort, signal, clean } = setup();
    broker.kept.set("a", "kept");
    const got: unknown[] = [];
    const subscription = hub.subscribe("a", (value) => (got.push(value), abort.abort()), { signal });
    expect([got, subscription.closed]).toEqual([["kept"], true]);
    clean();
  });

  it("passes a kept value on once", () => {
    const { broker, hub, clean } = setup();
    broker.kept.set("a", "kept");
    const got: unknown[] = [];
    const subscriptions = [1, 2].map((n) => hub.subscribe("a", (value) => got.push(`${n} ${value}`)));
    expect(got).toEqual(["1 kept", "2 kept"]);
    for (const subscription of subscriptions) subscription.close();
    clean();
  });

  it("keeps a topic that is wanted again by the handler that leaves it", () => {
    const { broker, hub, clean } = setup();
    const got: unknown[] = [];
    let next = hub.subscribe("b", () => {});
    const first = hub.subscribe("a", () => {
      first.close();
      next.close();
      next = hub.subscribe("a", (value) => got.push(value));
    });
    broker.say("a", 1);
    broker.say("a", 2);
    expect([got.at(-1), hub.stats(), broker.topics]).toEqual([2, { topics: 1, subscriptions: 1 }, ["a"]]);
    next.close();
    clean();
  });
});

describe("stream", () => {
  it("holds nothing before it is read", () => {
    const { hub, signal, clean } = setup();
    const values = stream(hub, "a", { signal });
    clean();
    values[Symbol.asyncIterator]();
    clean();
  });

  it("holds nothing after the reader has left", async () => {
    for (const how of ["break", "throw"]) {
      const { broker, hub, signal, clean } = setup();
      broker.kept.set("a", 1);
      const got: unknown[] = [];
      const read = async () => {
        for await (const value of stream(hub, "a", { signal })) {
          got.push(value);
          expect(broker.topics).toEqual(["a"]);
          if (how === "throw") throw new Error("reader");
          break;
        }
      };
      await read().catch((error: Error) => expect(error.message).toBe("reader"));
      expect(got).toEqual([1]);
      clean();
    }
  });

  it("ends a waiting next() with return()", async () => {
    const { broker, hub, signal, clean } = setup();
    const iterator = stream(hub, "a", { signal })[Symbol.asyncIterator]();
    const next = iterator.next();
    await Promise.resolve();
    expect(broker.topics).toEqual(["a"]);
    expect((await iterator.return!()).done).toBe(true);
    expect((await next).done).toBe(true);
    clean();
    expect((await iterator.next()).done).toBe(true);
    clean();
  });

  it("ends with its signal", async () => {
    const { hub, abort, signal, clean } = setup();
    const values = stream(hub, "a", { signal });
    const next = values[Symbol.asyncIterator]().next();
    await Promise.resolve();
    abort.abort();
    expect((await next).done).toBe(true);
    clean();
    expect((await values[Symbol.asyncIterator]().next()).done).toBe(true);
    clean();
    for await (const _ of stream(hub, "b", { signal })) throw new Error("a value");
    clean();
  });

  it("gives every iterator all values", async () => {
    const { broker, hub, clean } = setup();
    const values = stream(hub, "a", { buffer: 2 });
    const iterators = [values[Symbol.asyncIterator](), values[Symbol.asyncIterator]()];
    const firsts = iterators.map((iterator) => iterator.next());
    await Promise.resolve();
    broker.say("a", 1);
    expect((await Promise.all(firsts)).map(({ value }) => value)).toEqual([1, 1]);
    for (const value of [2, 3, 4]) broker.say("a", value);
    for (const iterator of iterators) {
      expect([(await iterator.next()).value, (await iterator.next()).value]).toEqual([3, 4]);
    }
    await iterators[0]!.return!();
    expect(broker.topics).toEqual(["a"]);
    await iterators[1]!.return!();
    clean();
  });
});

describe("waitFor", () => {
  const all = (hub: Hub, scheduler: Scheduler, signal: AbortSignal, fits: (value: unknown) => boolean) =>
    waitFor(hub, "a", fits, { timeoutMs: 1000, scheduler, signal });

  it("ends with a value", async () => {
    const { broker, hub, signal, clean } = setup();
    const timers = new Timers();
    const result = all(hub, timers, signal, (value) => value === "ready");
    broker.say("a", "busy");
    broker.say("a", "ready");
    expect(await result).toBe("ready");
    clean();
    expect(timers.active.size).toBe(0);
  });

  it("ends with a value that is known", async () => {
    const { broker, hub, signal, clean } = setup();
    const timers = new Timers();
    const keeper = hub.subscribe("a", () => {});
    broker.say("a", "ready");
    expect(await all(hub, timers, signal, () => true)).toBe("ready");
    expect([hub.stats().subscriptions, timers.active.size]).toEqual([1, 0]);
    keeper.close();
    broker.kept.set("a", "kept");
    expect(await all(hub, timers, signal, () => true)).toBe("kept");
    clean();
    expect(timers.active.size).toBe(0);
  });

  it("ends with time", async () => {
    const { hub, signal, clean } = setup();
    const timers = new Timers();
    const result = all(hub, timers, signal, () => true);
    timers.run();
    await expect(result).rejects.toBeInstanceOf(TimeoutError);
    clean();
    expect(timers.active.size).toBe(0);
  });

  it("ends with its signal", async () => {
    const { hub, abort, signal, clean } = setup();
    const timers = new Timers();
    const result = all(hub, timers, signal, () => true);
    abort.abort("enough");
    await expect(result).rejects.toBe("enough");
    clean();
    expect(timers.active.size).toBe(0);
    await expect(all(hub, timers, signal, () => true)).rejects.toBe("enough");
    clean();
    expect(timers.active.size).toBe(0);
  });

  it("ends with an error of its condition", async () => {
    const { broker, hub, signal, clean } = setup();
    const timers = new Timers();
    const broken = new Error("broken");
    const fits = () => {
      throw broken;
    };
    const result = all(hub, timers, signal, fits);
    broker.say("a", 1);
    await expect(result).rejects.toBe(broken);
    broker.kept.set("a", 1);
    await expect(all(hub, timers, signal, fits)).rejects.toBe(broken);
    clean();
    expect(timers.active.size).toBe(0);
  });
});

describe("combine", () => {
  const sum = ([a, b]: unknown[]) => Number(a) + Number(b);

  it("holds its topics while there are subscribers", () => {
    const { broker, hub, signal, clean } = setup();
    const feed = combine(hub, ["a", "b"], sum);
    clean();
    const first = feed.subscribe(() => {}, { signal });
    const second = feed.subscribe(() => {}, { signal });
    expect(hub.stats()).toEqual({ topics: 2, subscriptions: 2 });
    first.close();
    first.close();
    expect([hub.stats(), first.closed, second.closed]).toEqual([{ topics: 2, subscriptions: 2 }, true, false]);
    expect(waiting(signal)).toBeLessThanOrEqual(1);
    second.close();
    clean();
    expect(broker.listens).toBe(2);
  });

  it("starts anew", () => {
    const { broker, hub, clean } = setup();
    const feed = combine(hub, ["a", "b"], sum);
    const got: number[] = [];
    const first = feed.subscribe((value) => got.push(value));
    broker.say("a", 1);
    broker.say("b", 2);
    first.close();
    const second = feed.subscribe((value) => got.push(value));
    broker.say("a", 10);
    expect(got).toEqual([3]);
    broker.say("b", 20);
    const third = feed.subscribe((value) => got.push(value * 100));
    expect(got).toEqual([3, 30, 3000]);
    second.close();
    third.close();
    clean();
  });

  it("ends with signals", () => {
    const { hub, abort, signal, clean } = setup();
    const feed = combine(hub, ["a", "b"], sum);
    const open = [feed.subscribe(() => {}, { signal }), feed.subscribe(() => {}, { signal })];
    abort.abort();
    expect(open.map(({ closed }) => closed)).toEqual([true, true]);
    clean();
    expect(feed.subscribe(() => {}, { signal }).closed).toBe(true);
    clean();
  });

  it("takes the same handler twice for two subscribers", () => {
    const { broker, hub, clean } = setup();
    const got: number[] = [];
    const handler = (value: number) => got.push(value);
    const feed = combine(hub, ["a", "b"], sum);
    const [first, second] = [feed.subscribe(handler), feed.subscribe(handler)];
    broker.say("a", 1);
    broker.say("b", 2);
    expect(got).toEqual([3, 3]);
    first.close();
    broker.say("a", 2);
    expect(got).toEqual([3, 3, 4]);
    second.close();
    clean();
  });

  it("may be left at once", () => {
    const { broker, hub, abort, signal, clean } = setup();
    broker.kept.set("a", 1).set("b", 2);
    const got: number[] = [];
    const feed = combine(hub, ["a", "b"], sum);
    feed.subscribe((value) => (got.push(value), abort.abort()), { signal });
    expect(got).toEqual([3]);
    clean();
  });
});

describe("sessions", () => {
  function serve() {
    const base = setup();
    const timers = new Timers();
    const server = new LiveServer(base.hub, { scheduler: timers, heartbeatMs: 1000, signal: base.signal });
    const socket = new FakeSocket();
    const session = server.connect(socket);
    const gone = () => {
      base.clean({ serving: true });
      expect({ size: server.size, timers: timers.active.size, listeners: socket.held(), topics: session.topics }).toEqual({
        size: 0,
        timers: 0,
        listeners: 0,
        topics: [],
      });
      expect(session.closed).toBe(true);
    };
    return { ...base, timers, server, socket, session, gone };
  }

  it.each<[string, (parts: ReturnType<typeof serve>) => void]>([
    ["its socket is closed", ({ socket }) => void socket.dispatchEvent(new Event("close"))],
    ["its socket fails", ({ socket }) => void socket.dispatchEvent(new Event("error"))],
    ["its socket fails and is closed", ({ socket }) => ["error", "close"].forEach((type) => socket.dispatchEvent(new Event(type)))],
    ["it is closed", ({ session }) => session.close()],
    ["it is closed twice", ({ session }) => (session.close(), session.close())],
    ["the server ends", ({ abort }) => abort.abort()],
  ])("leave nothing when %s", (_, end) => {
    const parts = serve();
    parts.socket.say({ op: "subscribe", topic: "a" });
    parts.socket.say({ op: "subscribe", topic: "b" });
    expect([parts.server.size, parts.timers.active.size, parts.broker.topics]).toEqual([1, 1, ["a", "b"]]);
    end(parts);
    parts.gone();
    expect(parts.socket.closes).toBeLessThanOrEqual(1);
  });

  it("close their socket", () => {
    const { socket, session } = serve();
    session.close();
    expect(socket.closes).toBe(1);
    const other = serve();
    other.abort.abort();
    expect(other.socket.closes).toBe(1);
  });

  it("do nothing with messages that arrive late", () => {
    const parts = serve();
    const receivers = getEventListeners(parts.socket, "message") as ((event: Event) => void)[];
    parts.session.close();
    const late = new MessageEvent("message", { data: JSON.stringify({ op: "subscribe", topic: "a" }) });
    parts.socket.dispatchEvent(late);
    for (const receive of receivers) if (typeof receive === "function") receive(late);
    parts.gone();
    expect(parts.socket.sent).toEqual([]);
  });

  it("subscribe to a topic once", () => {
    const parts = serve();
    const { broker, hub, socket, session } = parts;
    for (let i = 0; i < 3; i += 1) socket.say({ op: "subscribe", topic: "a" });
    expect([hub.stats().subscriptions, session.topics]).toEqual([1, ["a"]]);
    broker.say("a", 1);
    expect(socket.sent).toEqual([{ topic: "a", value: 1 }]);
    socket.say({ op: "unsubscribe", topic: "a" });
    expect([hub.stats(), session.topics, broker.topics]).toEqual([{ topics: 0, subscriptions: 0 }, [], []]);
    socket.say({ op: "unsubscribe", topic: "a" });
    socket.say({ op: "subscribe", topic: "a" });
    broker.say("a", 2);
    expect(socket.sent).toEqual([{ topic: "a", value: 1 }, { topic: "a", value: 2 }]);
    session.close();
    parts.gone();
  });

  it("leave the others alone", () => {
    const { server, broker, socket, session, timers, signal } = serve();
    const other = new FakeSocket();
    server.connect(other);
    socket.say({ op: "subscribe", topic: "a" });
    other.say({ op: "subscribe", topic: "a" });
    session.close();
    broker.say("a", 1);
    timers.run();
    expect([server.size, other.sent, other.closes]).toEqual([1, [{ topic: "a", value: 1 }, { op: "ping" }], 0]);
    expect(waiting(signal)).toBeLessThanOrEqual(2);
  });

  it("come and go", () => {
    const { server, socket, session, timers, clean, signal } = serve();
    for (let i = 0; i < 300; i += 1) {
      const visitor = new FakeSocket();
      server.connect(visitor);
      visitor.say({ op: "subscribe", topic: `client/${i}` });
      visitor.dispatchEvent(new Event(i % 2 === 0 ? "close" : "error"));
      expect(visitor.held()).toBe(0);
    }
    expect([server.size, timers.active.size, socket.sent]).toEqual([1, 1, []]);
    expect(waiting(signal)).toBeLessThanOrEqual(2);
    session.close();
    clean({ serving: true });
  });

  it("are closed from the start if the server has ended", () => {
    const { server, abort, timers, clean } = serve();
    abort.abort();
    const late = new FakeSocket();
    const session = server.connect(late);
    late.say({ op: "subscribe", topic: "a" });
    expect([session.closed, server.size, timers.active.size, late.held(), late.sent]).toEqual([true, 0, 0, 0, []]);
    clean({ serving: true });
  });

  it("may stand without a server", () => {
    const { hub, clean } = setup();
    const timers = new Timers();
    const socket = new FakeSocket();
    const ended: Session[] = [];
    const session = new Session(hub, socket, { scheduler: timers, heartbeatMs: 10, onClose: (one) => ended.push(one) });
    socket.say({ op: "subscribe", topic: "a" });
    session.close();
    session.close();
    clean();
    expect([ended, timers.active.size, socket.closes, socket.held()]).toEqual([[session], 0, 1, 0]);
  });
});
