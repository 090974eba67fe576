import { describe, expect, it } from "vitest";
import { combine, type Handler, Hub, LiveServer, type Scheduler, type Source, stream, TimeoutError, waitFor } from "../src/index";

class Broker implements Source {
  readonly listeners = new Map<string, Handler>();

  listen(topic: string, onValue: Handler): () => void {
    this.listeners.set(topic, onValue);
    return () => this.listeners.delete(topic);
  }

  say(topic: string, value: unknown): void {
    this.listeners.get(topic)?.(value);
  }
}

class Timers implements Scheduler {
  readonly tasks = new Set<() => void>();

  after(_ms: number, task: () => void): () => void {
    this.tasks.add(task);
    return () => this.tasks.delete(task);
  }

  every = this.after;
}

class FakeSocket extends EventTarget {
  sent: unknown[] = [];
  send = (text: string) => void this.sent.push(JSON.parse(text));
  close = () => void this.dispatchEvent(new Event("close"));
  say = (message: object) => this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
}

describe("Hub", () => {
  it("asks the source once and passes values on", () => {
    const broker = new Broker();
    const hub = new Hub(broker);
    const got: unknown[] = [];
    hub.subscribe("a", (value) => got.push(["first", value]));
    broker.say("a", 1);
    const second = hub.subscribe("a", (value) => got.push(["second", value]));
    broker.say("a", 2);
    second.close();
    broker.say("a", 3);
    expect(got).toEqual([["first", 1], ["second", 1], ["first", 2], ["second", 2], ["first", 3]]);
    expect(hub.stats()).toEqual({ topics: 1, subscriptions: 1 });
  });

  it("tells of handlers that throw", () => {
    const broker = new Broker();
    const errors: unknown[] = [];
    const hub = new Hub(broker, { onError: (error, topic) => errors.push([topic, error]) });
    const got: unknown[] = [];
    hub.subscribe("a", () => {
      throw "broken";
    });
    hub.subscribe("a", (value) => got.push(value));
    broker.say("a", 1);
    expect([errors, got]).toEqual([[["a", "broken"]], [1]]);
  });

  it("ends a subscription by its signal", () => {
    const broker = new Broker();
    const hub = new Hub(broker);
    const abort = new AbortController();
    const got: unknown[] = [];
    const subscription = hub.subscribe("a", (value) => got.push(value), { signal: abort.signal });
    abort.abort();
    broker.say("a", 1);
    expect([got, subscription.closed]).toEqual([[], true]);
  });
});

describe("readers", () => {
  it("stream a topic", async () => {
    const broker = new Broker();
    const abort = new AbortController();
    const values = stream(new Hub(broker), "a", { signal: abort.signal });
    const iterator = values[Symbol.asyncIterator]();
    const first = iterator.next();
    broker.say("a", 1);
    broker.say("a", 2);
    expect(await first).toEqual({ done: false, value: 1 });
    expect(await iterator.next()).toEqual({ done: false, value: 2 });
    const last = iterator.next();
    abort.abort();
    expect((await last).done).toBe(true);
  });

  it("wait for a value", async () => {
    const broker = new Broker();
    const timers = new Timers();
    const hub = new Hub(broker);
    const waiting = waitFor(hub, "a", (value) => value === "ready");
    broker.say("a", "busy");
    broker.say("a", "ready");
    expect(await waiting).toBe("ready");
    const late = waitFor(hub, "b", () => true, { timeoutMs: 10, scheduler: timers });
    for (const task of timers.tasks) task();
    await expect(late).rejects.toBeInstanceOf(TimeoutError);
  });

  it("combine topics", () => {
    const broker = new Broker();
    const got: number[] = [];
    combine(new Hub(broker), ["a", "b"], ([a, b]) => Number(a) + Number(b)).subscribe((sum) => got.push(sum));
    broker.say("a", 1);
    broker.say("b", 2);
    broker.say("a", 5);
    expect(got).toEqual([3, 7]);
  });
});

describe("LiveServer", () => {
  it("serves clients", () => {
    const broker = new Broker();
    const timers = new Timers();
    const server = new LiveServer(new Hub(broker), { scheduler: timers, heartbeatMs: 1000 });
    const socket = new FakeSocket();
    const session = server.connect(socket);
    socket.say({ op: "subscribe", topic: "a" });
    broker.say("a", 1);
    for (const task of timers.tasks) task();
    socket.say({ op: "dance", topic: "a" });
    expect(socket.sent).toEqual([{ topic: "a", value: 1 }, { op: "ping" }, { error: "unknown op" }]);
    expect([server.size, session.topics]).toEqual([1, ["a"]]);
    socket.dispatchEvent(new Event("close"));
    expect(server.size).toBe(0);
    broker.say("a", 2);
    expect(socket.sent).toHaveLength(3);
  });
});
