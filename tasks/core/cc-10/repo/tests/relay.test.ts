import { describe, expect, it } from "vitest";
import { describeConfig, formatSize, loadConfig, nextDelay, parseDuration, parseSize, queuePath, rejection, Throttle, transportOptions } from "../src/index";

const load = (file: object, env: Record<string, string> = {}) =>
  loadConfig({ json: JSON.stringify({ smtp: { host: "mx.example.com" }, ...file }), env });

describe("configuration", () => {
  it("falls back to the defaults", () => {
    expect(describeConfig(load({}))).toEqual([
      "environment development",
      "listening on 127.0.0.1:2525",
      "passing on to mx.example.com:587",
      "retries after 60, 300, 1800 s",
      "DKIM off",
    ]);
  });

  it("takes the environment over the file", () => {
    const config = load({ smtp: { host: "mx.example.com", port: 25 } }, { RELAY_SMTP_HOST: "mail.example.org" });
    expect(transportOptions(config)).toEqual({ host: "mail.example.org", port: 25, secure: false });
  });
});

describe("policy", () => {
  it("limits the size and the domains", () => {
    const config = load({ allowedDomains: ["Example.com"], limits: { maxSizeBytes: "1MB" } });
    const message = { from: "a@example.com", to: ["b@example.com"], sizeBytes: 1000 };
    expect(rejection(config, message)).toBeUndefined();
    expect(rejection(config, { ...message, sizeBytes: 1024 ** 2 + 1 })).toBe("larger than 1MB");
    expect(rejection(config, { ...message, to: ["b@EXAMPLE.com", "c@example.net"] })).toBe("no mail to c@example.net");
  });
});

describe("throttle", () => {
  it("counts by the minute", () => {
    let now = 0;
    const throttle = new Throttle(load({ limits: { messagesPerMinute: 2 } }), () => now);
    expect([throttle.take(), throttle.take(), throttle.take()]).toEqual([true, true, false]);
    now = 60_000;
    expect(throttle.take()).toBe(true);
  });
});

describe("queue", () => {
  it("knows when and where", () => {
    const config = load({ queue: { directory: "/var/spool/relay", retryDelays: ["30s", 90_000] } });
    expect([1, 2, 3].map((attempt) => nextDelay(config, attempt))).toEqual([30_000, 90_000, undefined]);
    expect(queuePath(config, "m1")).toBe("/var/spool/relay/m1.eml");
  });
});

describe("units", () => {
  it("are read and written", () => {
    expect(["4096", "512KB", "10MB", "1GB", "1.5MB"].map(parseSize)).toEqual([4096, 524_288, 10_485_760, 1_073_741_824, NaN]);
    expect(["500ms", "30s", "5m", "1h", "30"].map(parseDuration)).toEqual([500, 30_000, 300_000, 3_600_000, NaN]);
    expect([1000, 2048, 10_485_760].map(formatSize)).toEqual(["1000", "2KB", "10MB"]);
  });
});
