import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  type Clock,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  isTransient,
  NetworkError,
  PayloadError,
  retry,
  type RetryOptions,
  TrackingClient,
} from "../src/index";

const START = Date.parse("2025-03-05T09:00:00Z");

/** A clock on which nobody waits: `sleep` moves it. */
function quick() {
  let time = START;
  const slept: number[] = [];
  const clock: Clock = {
    now: () => time,
    sleep: async (ms, signal) => {
      if (signal?.aborted) throw signal.reason;
      slept.push(ms);
      time += ms;
    },
  };
  return { clock, slept };
}

/** A clock on which a sleep ends by its signal alone. */
function stopped() {
  let fellAsleep = () => {};
  const asleep = new Promise<void>((resolve) => (fellAsleep = resolve));
  let sleeps = 0;
  const clock: Clock = {
    now: () => START,
    sleep: (_ms, signal) =>
      new Promise((_, reject) => {
        sleeps += 1;
        fellAsleep();
        if (signal?.aborted) reject(signal.reason);
        else signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
  return { clock, asleep, sleeps: () => sleeps };
}

const http = (status: number, headers: Record<string, string> = {}) =>
  new HttpError({ method: "GET", path: "/v2/shipments/PX-1", status, headers });

/** An operation that fails with each of the errors and then succeeds. */
function failing(...errors: unknown[]) {
  const attempts: number[] = [];
  const operation = async (attempt: number) => {
    attempts.push(attempt);
    if (attempts.length <= errors.length) throw errors[attempts.length - 1];
    return `after ${attempt}`;
  };
  return { operation, attempts };
}

const down = new NetworkError("connection reset");
const half = () => 0.5;

describe("retry", () => {
  it("calls an operation that succeeds once", async () => {
    const { clock, slept } = quick();
    const { operation, attempts } = failing();
    expect(await retry(operation, { clock })).toBe("after 1");
    expect(attempts).toEqual([1]);
    expect(slept).toEqual([]);
  });

  it("calls again until it succeeds", async () => {
    const { clock } = quick();
    const { operation, attempts } = failing(down, http(503));
    expect(await retry(operation, { clock, random: half })).toBe("after 3");
    expect(attempts).toEqual([1, 2, 3]);
  });

  it("makes 4 attempts and rejects with the last error itself", async () => {
    const { clock, slept } = quick();
    const errors = [1, 2, 3, 4].map((n) => new NetworkError(`reset ${n}`));
    const { operation, attempts } = failing(...errors);
    await expect(retry(operation, { clock, random: half })).rejects.toBe(errors[3]);
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(slept).toHaveLength(3);
  });

  it("makes as many attempts as it is told", async () => {
    for (const count of [1, 2, 7]) {
      const { clock, slept } = quick();
      const { operation, attempts } = failing(...Array<Error>(10).fill(down));
      await expect(retry(operation, { clock, attempts: count })).rejects.toBe(down);
      expect(attempts).toHaveLength(count);
      expect(slept).toHaveLength(count - 1);
    }
  });

  it("doubles the delay up to the largest one", async () => {
    const { clock, slept } = quick();
    const { operation } = failing(...Array<Error>(8).fill(down));
    await retry(operation, { clock, attempts: 9, baseDelayMs: 100, maxDelayMs: 1500, random: half });
    expect(slept).toEqual([50, 100, 200, 400, 750, 750, 750, 750]);
  });

  it("has defaults", async () => {
    const { clock, slept } = quick();
    const { operation } = failing(...Array<Error>(9).fill(down));
    await retry(operation, { clock, attempts: 10, random: half });
    expect(slept).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  });

  it("asks for one random number a wait and rounds down", async () => {
    const { clock, slept } = quick();
    const numbers = [0.999, 0.25, 0.333];
    const { operation } = failing(down, down, down);
    await retry(operation, { clock, baseDelayMs: 10, random: () => numbers.shift()! });
    expect(slept).toEqual([9, 5, 13]);
    expect(numbers).toEqual([]);
  });

  it("stays finite after a thousand attempts", async () => {
    const { clock, slept } = quick();
    const { operation } = failing(...Array<Error>(1999).fill(down));
    await retry(operation, { clock, attempts: 2000, random: half });
    expect(Math.max(...slept)).toBe(5000);
  });

  it("retries transient errors only", async () => {
    for (const error of [http(404), http(500), new PayloadError("no JSON"), new TypeError("x is undefined"), "text", undefined]) {
      const { clock, slept } = quick();
      const { operation, attempts } = failing(error, error);
      await expect(retry(operation, { clock })).rejects.toBe(error);
      expect(attempts).toEqual([1]);
      expect(slept).toEqual([]);
    }
  });

  it("asks `retryable` if it is given", async () => {
    const { clock } = quick();
    const { operation, attempts } = failing(new TypeError("a"), new TypeError("b"), down);
    const retryable = (error: unknown) => error instanceof TypeError;
    await expect(retry(operation, { clock, retryable })).rejects.toBe(down);
    expect(attempts).toEqual([1, 2, 3]);
  });

  it("counts an operation that throws as failed", async () => {
    const { clock } = quick();
    let calls = 0;
    const operation = (): Promise<string> => {
      calls += 1;
      if (calls === 1) throw down;
      return Promise.resolve("there");
    };
    expect(await retry(operation, { clock })).toBe("there");
  });

  it("tells of each wait before it begins", async () => {
    const { clock, slept } = quick();
    const { operation } = failing(down, http(503));
    const told: unknown[] = [];
    await retry(operation, { clock, random: half, onRetry: (info) => told.push({ ...info, slept: slept.length }) });
    expect(told).toMatchObject([
      { attempt: 1, delayMs: 100, error: down, slept: 0 },
      { attempt: 2, delayMs: 200, error: { status: 503 }, slept: 1 },
    ]);
  });

  it("refuses options that make no sense", async () => {
    const wrong: RetryOptions[] = [0, -1, 1.5, NaN, Infinity].map((attempts) => ({ attempts }));
    wrong.push({ baseDelayMs: -1 }, { baseDelayMs: NaN }, { maxDelayMs: -1 }, { maxDelayMs: NaN });
    for (const options of wrong) {
      const { operation, attempts } = failing();
      await expect(retry(operation, options), JSON.stringify(options)).rejects.toBeInstanceOf(RangeError);
      expect(attempts).toEqual([]);
    }
  });
});

describe("isTransient", () => {
  it("knows errors that pass", () => {
    expect([429, 502, 503, 504].map((status) => isTransient(http(status)))).toEqual([true, true, true, true]);
    expect(isTransient(down)).toBe(true);
    expect([400, 401, 404, 409, 422, 500, 501].some((status) => isTransient(http(status)))).toBe(false);
    expect([new Error("x"), new PayloadError("x"), null, undefined, "reset", { status: 503 }].some(isTransient)).toBe(false);
  });
});

describe("Retry-After", () => {
  const waits = async (value: string, options: RetryOptions = {}) => {
    const { clock, slept } = quick();
    const { operation } = failing(http(429, { "retry-after": value }));
    await retry(operation, { clock, random: half, ...options });
    return slept;
  };

  it("makes a wait longer, not shorter", async () => {
    expect(await waits("3")).toEqual([3000]);
    expect(await waits("1", { baseDelayMs: 5000 })).toEqual([2500]);
    expect(await waits("0")).toEqual([100]);
  });

  it("may be a date", async () => {
    expect(await waits("Wed, 05 Mar 2025 09:00:07 GMT")).toEqual([7000]);
    expect(await waits("Wed, 05 Mar 2025 08:00:00 GMT")).toEqual([100]);
  });

  it("asks for nothing if it cannot be read", async () => {
    expect(await waits("soon")).toEqual([100]);
    expect(await waits("")).toEqual([100]);
  });

  it("ends the retries if it asks for too much", async () => {
    for (const value of ["11", "Wed, 05 Mar 2025 09:00:11 GMT"]) {
      const { clock, slept } = quick();
      const error = http(503, { "retry-after": value });
      const { operation, attempts } = failing(error);
      await expect(retry(operation, { clock })).rejects.toBe(error);
      expect(attempts).toEqual([1]);
      expect(slept).toEqual([]);
    }
    expect(await waits("10")).toEqual([10_000]);
  });

  it("is that of the last error", async () => {
    const { clock, slept } = quick();
    const told: number[] = [];
    const { operation } = failing(http(503, { "retry-after": "4" }), http(503));
    await retry(operation, { clock, random: half, onRetry: ({ delayMs }) => told.push(delayMs) });
    expect(slept).toEqual([4000, 200]);
    expect(told).toEqual([4000, 200]);
  });
});

describe("a signal", () => {
  it("that was aborted before leaves no attempt", async () => {
    const { clock } = quick();
    const { operation, attempts } = failing();
    const signal = AbortSignal.abort("closed");
    await expect(retry(operation, { clock, signal })).rejects.toBe("closed");
    expect(attempts).toEqual([]);
  });

  it("ends a wait at once", async () => {
    const { clock, asleep } = stopped();
    const abort = new AbortController();
    const { operation, attempts } = failing(down);
    const running = retry(operation, { clock, signal: abort.signal });
    await asleep;
    abort.abort("closed");
    await expect(running).rejects.toBe("closed");
    expect(attempts).toEqual([1]);
  });

  it("that is aborted during an attempt leaves no other", async () => {
    const { clock, sleeps } = stopped();
    const abort = new AbortController();
    let attempts = 0;
    const operation = async () => {
      attempts += 1;
      abort.abort("closed");
      throw down;
    };
    await expect(retry(operation, { clock, signal: abort.signal })).rejects.toBe("closed");
    expect(attempts).toBe(1);
    expect(sleeps()).toBe(0);
  });

  it("does not undo a success", async () => {
    const abort = new AbortController();
    const operation = async () => {
      abort.abort("closed");
      return "there";
    };
    expect(await retry(operation, { clock: quick().clock, signal: abort.signal })).toBe("there");
  });

  it("keeps no listener", async () => {
    const { signal } = new AbortController();
    const { operation } = failing(down, down, down);
    await retry(operation, { clock: quick().clock, signal });
    const { operation: broken } = failing(http(404));
    await expect(retry(broken, { clock: quick().clock, signal })).rejects.toBeInstanceOf(HttpError);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("TrackingClient", () => {
  const shipment = { id: "PX-1", carrier: "post", state: "in_transit" };
  const label = { id: "L-9", url: "https://labels.example/L-9.pdf" };

  function gateway(clock: Clock, retry: RetryOptions | undefined, ...answers: (Partial<HttpResponse> | Error)[]) {
    const requests: HttpRequest[] = [];
    const client = new TrackingClient({
      apiKey: "k-1",
      clock,
      retry,
      transport: async (request) => {
        requests.push({ ...request, headers: { ...request.headers } });
        const answer = answers.shift();
        if (answer === undefined) throw new Error("no more answers");
        if (answer instanceof Error) throw answer;
        return { status: 200, headers: {}, body: "", ...answer };
      },
    });
    return { client, requests };
  }

  it("reads again", async () => {
    const { clock, slept } = quick();
    const { client, requests } = gateway(
      clock,
      { random: half },
      down,
      { status: 503, headers: { "retry-after": "2" } },
      { body: JSON.stringify(shipment) },
      { status: 502 },
      { body: '{"events":[]}' },
    );
    expect(await client.getShipment("PX-1")).toEqual(shipment);
    expect(await client.listEvents("PX-1")).toEqual([]);
    expect(requests).toHaveLength(5);
    expect(slept).toEqual([100, 2000, 100]);
  });

  it("retries without being told", async () => {
    const { clock, slept } = quick();
    const { client } = gateway(clock, undefined, down, { body: JSON.stringify(shipment) });
    expect(await client.getShipment("PX-1")).toEqual(shipment);
    expect(slept).toHaveLength(1);
  });

  it("cancels again", async () => {
    const { client, requests } = gateway(quick().clock, {}, { status: 504 }, { status: 204 });
    await client.cancelLabel("L-9");
    expect(requests).toHaveLength(2);
  });

  it("orders again with a key, and sends the same", async () => {
    const { clock } = quick();
    const { client, requests } = gateway(clock, { random: half }, down, { status: 503 }, { status: 201, body: JSON.stringify(label) });
    expect(await client.createLabel({ to: "Lisbon", weightGrams: 850 }, { idempotencyKey: "order-1" })).toEqual(label);
    expect(requests).toHaveLength(3);
    const [first, ...again] = requests.map(({ method, path, headers, body }) => ({ method, path, headers, body }));
    expect(again).toEqual([first, first]);
    expect(first!.headers["idempotency-key"]).toBe("order-1");
  });

  it("does not order again without a key", async () => {
    const { clock, slept } = quick();
    const { client, requests } = gateway(clock, {}, down, { status: 503 });
    await expect(client.createLabel({ to: "Lisbon", weightGrams: 850 })).rejects.toBe(down);
    await expect(client.createLabel({ to: "Lisbon", weightGrams: 850 })).rejects.toBeInstanceOf(HttpError);
    expect(requests).toHaveLength(2);
    expect(slept).toEqual([]);
  });

  it("does not ask again for what it cannot parse", async () => {
    const { client, requests } = gateway(quick().clock, { retryable: () => true }, { body: "<html>" });
    await expect(client.getShipment("PX-1")).rejects.toBeInstanceOf(PayloadError);
    expect(requests).toHaveLength(1);
  });

  it("goes by the options and the clock of `retry`", async () => {
    const own = quick();
    const other = quick();
    const { client, requests } = gateway(own.clock, { attempts: 2, clock: other.clock }, down, down);
    await expect(client.getShipment("PX-1")).rejects.toBe(down);
    expect(requests).toHaveLength(2);
    expect([own.slept.length, other.slept.length]).toEqual([0, 1]);
  });

  it("stops with the signal of the call", async () => {
    const { clock, asleep } = stopped();
    const abort = new AbortController();
    const { client, requests } = gateway(clock, {}, down);
    const running = client.getShipment("PX-1", { signal: abort.signal });
    await asleep;
    abort.abort("closed");
    await expect(running).rejects.toBe("closed");
    expect(requests).toHaveLength(1);
  });
});
