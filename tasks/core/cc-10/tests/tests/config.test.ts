import { describe, expect, it } from "vitest";
import { ConfigError, describeConfig, loadConfig, nextDelay, queuePath, rejection, Throttle, transportOptions } from "../src/index";

type Env = Record<string, string | undefined>;

const HOST = { RELAY_SMTP_HOST: "mx.example.com" };

const fromFile = (file: unknown, env: Env = HOST) => loadConfig({ json: JSON.stringify(file), env });
const fromEnv = (env: Env) => loadConfig({ env: { ...HOST, ...env } });

function failure(load: () => unknown): ConfigError {
  try {
    load();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toBeInstanceOf(Error);
    for (const issue of (error as ConfigError).issues) {
      expect(issue.message).toMatch(/\S/);
      expect((error as ConfigError).message).toContain(issue.path);
    }
    return error as ConfigError;
  }
  throw new Error("nothing was thrown");
}

/** The paths of what is wrong, each once. */
const wrong = (load: () => unknown) => [...new Set(failure(load).issues.map(({ path }) => path))].sort();

const DEFAULTS = {
  environment: "development",
  allowedDomains: [],
  listen: { host: "127.0.0.1", port: 2525 },
  smtp: { host: "mx.example.com", port: 587, secure: false },
  limits: { messagesPerMinute: 60, maxSizeBytes: 10_485_760 },
  queue: { directory: "queue", retryDelays: [60_000, 300_000, 1_800_000] },
  features: { dkim: false },
};

describe("loadConfig", () => {
  it("fills in the defaults", () => {
    expect(fromEnv({})).toEqual(DEFAULTS);
    expect(fromFile({ smtp: { host: "mx.example.com" } }, {})).toEqual(DEFAULTS);
    expect(fromFile({ smtp: {}, limits: {}, queue: {} })).toEqual(DEFAULTS);
  });

  const full = {
    environment: "staging",
    allowedDomains: ["example.com", "example.org"],
    listen: { host: "0.0.0.0", port: 25 },
    smtp: { host: "mail.example.net", port: 465, secure: true, username: "relay", password: "hunter2" },
    limits: { messagesPerMinute: 5, maxSizeBytes: 524_288 },
    queue: { directory: "/var/spool/relay", retryDelays: [500, 30_000, 3_600_000] },
    features: { dkim: true },
  };

  it("reads everything from the file", () => {
    const file = {
      ...full,
      allowedDomains: ["Example.com", "EXAMPLE.ORG"],
      limits: { messagesPerMinute: 5, maxSizeBytes: "512KB" },
      queue: { ...full.queue, retryDelays: ["500ms", 30_000, "1h"] },
    };
    expect(fromFile(file, {})).toEqual(full);
  });

  it("reads everything from the environment", () => {
    const env = {
      RELAY_ENVIRONMENT: "staging",
      RELAY_ALLOWED_DOMAINS: "Example.com, example.org",
      RELAY_LISTEN_HOST: "0.0.0.0",
      RELAY_LISTEN_PORT: "25",
      RELAY_SMTP_HOST: "mail.example.net",
      RELAY_SMTP_PORT: "465",
      RELAY_SMTP_SECURE: "true",
      RELAY_SMTP_USERNAME: "relay",
      RELAY_SMTP_PASSWORD: "hunter2",
      RELAY_LIMITS_MESSAGES_PER_MINUTE: "5",
      RELAY_LIMITS_MAX_SIZE_BYTES: "512KB",
      RELAY_QUEUE_DIRECTORY: "/var/spool/relay",
      RELAY_QUEUE_RETRY_DELAYS: "500ms,30s, 1h",
      RELAY_FEATURES_DKIM: "1",
    };
    expect(loadConfig({ env })).toEqual(full);
    expect(fromFile({ smtp: { host: "old.example.com", port: 25 }, features: { dkim: false } }, env)).toEqual(full);
  });

  it("knows switches that are off", () => {
    const on = { smtp: { secure: true }, features: { dkim: true } };
    for (const off of ["false", "0"]) {
      const config = fromFile(on, { ...HOST, RELAY_SMTP_SECURE: off, RELAY_FEATURES_DKIM: off });
      expect([config.smtp.secure, config.features.dkim]).toEqual([false, false]);
    }
  });

  it("takes the environment key by key", () => {
    const config = fromFile({ smtp: { host: "mx.example.com", port: 2500 } }, { RELAY_SMTP_PORT: "26" });
    expect(config.smtp).toMatchObject({ host: "mx.example.com", port: 26 });
  });

  it("takes an empty variable for none, and looks at its own alone", () => {
    const env = { RELAY_SMTP_PORT: "", RELAY_FEATURES_DKIM: "", RELAY_SMPT_HOST: undefined, PATH: "/bin", SMTP_PORT: "x", RELAYS: "3" };
    expect(fromEnv({ ...env, RELAY_CONFIG: "relay.json" })).toEqual(DEFAULTS);
  });

  it("takes sizes as bytes", () => {
    const size = (value: unknown) => fromFile({ limits: { maxSizeBytes: value } }).limits.maxSizeBytes;
    expect([4096, "4096", "1GB", 1].map(size)).toEqual([4096, 4096, 1_073_741_824, 1]);
    expect(fromEnv({ RELAY_LIMITS_MAX_SIZE_BYTES: "4096" }).limits.maxSizeBytes).toBe(4096);
  });
});

describe("what is wrong", () => {
  it("may be missing", () => {
    expect(wrong(() => loadConfig({}))).toEqual(["smtp.host"]);
    expect(wrong(() => loadConfig({ json: "{}", env: { RELAY_SMTP_HOST: "" } }))).toEqual(["smtp.host"]);
  });

  it.each<[string, unknown[]]>([
    ["environment", ["prod", "", 1, null]],
    ["allowedDomains", ["example.com", [1], [""], {}, null]],
    ["listen.host", ["", 1, null]],
    ["listen.port", [0, 65_536, -1, 25.5, "25", null, true, [25]]],
    ["smtp.port", [0, 65_536, "587", null]],
    ["smtp.secure", ["true", 1, 0, null]],
    ["limits.messagesPerMinute", [0, -5, 1.5, "60", null]],
    ["limits.maxSizeBytes", [0, -1, 1.5, "10 MB", "10mb", "big", "", "0", "0KB", null, true]],
    ["queue.directory", ["", 3, null, ["queue"]]],
    ["queue.retryDelays", ["1m", [], [0], ["0s"], ["1 m"], ["60"], [1.5], [null], Array(11).fill(1000), {}, null]],
    ["features.dkim", ["yes", 1, null]],
  ])("may be %s in the file", (path, values) => {
    for (const value of values) {
      const [section, key] = path.split(".") as [string, string?];
      const file = key === undefined ? { [section]: value } : { [section]: { [key]: value } };
      expect({ value, wrong: wrong(() => fromFile(file)) }).toEqual({ value, wrong: [path] });
    }
  });

  it.each<[string, string[]]>([
    ["RELAY_ENVIRONMENT", ["prod", "Production"]],
    ["RELAY_LISTEN_PORT", ["0", "65536", "-1", "25.0", "2e3", "0x19", "port", " 25", "25 "]],
    ["RELAY_SMTP_PORT", ["587tls", "+587"]],
    ["RELAY_SMTP_SECURE", ["yes", "TRUE", "2"]],
    ["RELAY_LIMITS_MESSAGES_PER_MINUTE", ["0", "many", "6.5", "1e2"]],
    ["RELAY_LIMITS_MAX_SIZE_BYTES", ["0", "10 MB", "-1", "ten"]],
    ["RELAY_QUEUE_RETRY_DELAYS", ["60", "0s", "1m;5m", "1m,soon", Array(11).fill("1s").join(",")]],
    ["RELAY_FEATURES_DKIM", ["on"]],
  ])("may be %s", (name, values) => {
    for (const value of values) {
      expect({ value, wrong: wrong(() => fromEnv({ [name]: value })) }).toEqual({ value, wrong: [name] });
    }
  });

  it("may be a key that does not exist", () => {
    expect(wrong(() => fromFile({ smpt: { host: "x" }, verbose: true }))).toEqual(["smpt", "verbose"]);
    expect(wrong(() => fromFile({ smtp: { prot: 25 }, queue: { retrydelays: [] } }))).toEqual(["queue.retrydelays", "smtp.prot"]);
    expect(wrong(() => fromFile({ smtp: { toString: 1 }, constructor: {} }))).toEqual(["constructor", "smtp.toString"]);
  });

  it("may be a variable that does not exist", () => {
    expect(wrong(() => fromEnv({ RELAY_SMPT_HOST: "x", RELAY_PORT: "25", RELAY_SMTP: "x" }))).toEqual(["RELAY_PORT", "RELAY_SMPT_HOST", "RELAY_SMTP"]);
  });

  it("may be a section that is none", () => {
    for (const section of ["x", 1, null, [], true]) {
      expect(wrong(() => fromFile({ listen: section }))).toEqual(["listen"]);
      expect(wrong(() => fromFile({ smtp: section }, {}))).toContain("smtp");
    }
  });

  it("may be the whole file", () => {
    for (const json of ["", "{", "[]", "null", "3", '"text"']) {
      expect(wrong(() => loadConfig({ json, env: HOST }))).toEqual(["file"]);
    }
    expect(wrong(() => loadConfig({ json: "{", env: { ...HOST, RELAY_SMTP_PORT: "x" } }))).toEqual(["RELAY_SMTP_PORT", "file"]);
  });

  it("may be half of a login", () => {
    expect(wrong(() => fromFile({ smtp: { username: "relay" } }))).toEqual(["smtp.password"]);
    expect(wrong(() => fromFile({ smtp: { password: "hunter2" } }))).toEqual(["smtp.username"]);
    expect(wrong(() => fromEnv({ RELAY_SMTP_USERNAME: "relay" }))).toEqual(["smtp.password"]);
    const config = fromFile({ smtp: { username: "relay" } }, { ...HOST, RELAY_SMTP_PASSWORD: "hunter2" });
    expect(config.smtp).toMatchObject({ username: "relay", password: "hunter2" });
  });

  it("is told though a variable overrides it", () => {
    const env = { ...HOST, RELAY_SMTP_PORT: "25", RELAY_LISTEN_HOST: "::1" };
    expect(wrong(() => fromFile({ smtp: { port: "x" }, listen: { host: 1 } }, env))).toEqual(["listen.host", "smtp.port"]);
  });

  it("is told all at once", () => {
    const file = { environment: "prod", smtp: { secure: "no", port: 0 }, queue: { retryDelays: ["soon"] }, debug: true };
    expect(wrong(() => fromFile(file, { RELAY_LIMITS_MESSAGES_PER_MINUTE: "x", RELAY_FEATURE_DKIM: "true" }))).toEqual([
      "RELAY_FEATURE_DKIM",
      "RELAY_LIMITS_MESSAGES_PER_MINUTE",
      "debug",
      "environment",
      "queue.retryDelays",
      "smtp.host",
      "smtp.port",
      "smtp.secure",
    ]);
  });

  it("is told without the password", () => {
    for (const password of [{ secret: "hunter2" }, ["hunter2"]]) {
      const { message, issues } = failure(() => fromFile({ smtp: { username: "relay", password } }));
      expect(issues.map(({ path }) => path)).toContain("smtp.password");
      expect(message + JSON.stringify(issues)).not.toContain("hunter2");
    }
    const { message, issues } = failure(() => fromEnv({ RELAY_SMTP_PASSWORD: "hunter2", RELAY_SMTP_PORT: "x" }));
    expect(message + JSON.stringify(issues)).not.toContain("hunter2");
  });
});

describe("what uses the configuration", () => {
  it("gets real values from variables", () => {
    const config = fromEnv({
      RELAY_SMTP_SECURE: "false",
      RELAY_SMTP_USERNAME: "relay",
      RELAY_SMTP_PASSWORD: "hunter2",
      RELAY_QUEUE_RETRY_DELAYS: "30s, 90s",
      RELAY_LIMITS_MAX_SIZE_BYTES: "1MB",
      RELAY_LIMITS_MESSAGES_PER_MINUTE: "1",
      RELAY_ALLOWED_DOMAINS: "Example.com, example.org",
      RELAY_FEATURES_DKIM: "0",
    });
    expect(transportOptions(config)).toEqual({
      host: "mx.example.com",
      port: 587,
      secure: false,
      auth: { user: "relay", pass: "hunter2" },
    });
    expect([1, 2, 3].map((attempt) => nextDelay(config, attempt))).toEqual([30_000, 90_000, undefined]);
    expect(queuePath(config, "m1")).toBe("queue/m1.eml");
    const message = { from: "a@example.com", to: ["b@example.ORG"], sizeBytes: 1024 ** 2 };
    expect(rejection(config, message)).toBeUndefined();
    expect(rejection(config, { ...message, sizeBytes: 1024 ** 2 + 1 })).toBe("larger than 1MB");
    const throttle = new Throttle(config, () => 0);
    expect([throttle.take(), throttle.take()]).toEqual([true, false]);
    expect(describeConfig(config)).toEqual([
      "environment development",
      "listening on 127.0.0.1:2525",
      "passing on to mx.example.com:587 as relay",
      "retries after 30, 90 s",
      "DKIM off",
    ]);
  });
});
