import { describe, expect, it } from "vitest";
import { Cache } from "../src/index";

function clock() {
  let time = 0;
  return { now: () => time, wait: (ms: number) => (time += ms) };
}

describe("Cache", () => {
  it("gives back what was put in", () => {
    const cache = new Cache<string, number>({ max: 2 });
    cache.set("a", 1);
    expect(cache.get("a")).toBe(1);
    expect(cache.get("b")).toBeUndefined();
  });

  it("lets the entry go that was read least recently", () => {
    const gone: string[] = [];
    const cache = new Cache<string, number>({ max: 2, onEvict: (key) => gone.push(key) });
    cache.set("a", 1);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect(cache.keys()).toEqual(["a", "c"]);
    expect(gone).toEqual(["b"]);
  });

  it("does not give back what is too old", () => {
    const { now, wait } = clock();
    const cache = new Cache<string, number>({ max: 2, ttl: 100, now });
    cache.set("a", 1);
    wait(99);
    expect(cache.get("a")).toBe(1);
    wait(1);
    expect(cache.get("a")).toBeUndefined();
  });

  it("counts hits and misses", () => {
    const cache = new Cache<string, number>({ max: 2 });
    cache.set("a", 1);
    cache.get("a");
    cache.get("b");
    expect(cache.stats()).toEqual({ hits: 1, misses: 1, size: 1 });
  });

  it.each([0, -1, 1.5])("refuses a size of %d", (max) => {
    expect(() => new Cache({ max })).toThrow(RangeError);
  });
});
