// Serves a built site on loopback: by `wrangler pages dev`, which applies Cloudflare's own rules, or by a small server
// with the same rules where wrangler cannot start. Everything started here is ended by its process id.

import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileAt, headerRules, headersFor } from "./site.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const START_LIMIT_MS = 90_000;
const END_LIMIT_MS = 5_000;

export function freePort() {
  return new Promise((resolve, reject) => {
    const socket = createSocket();
    socket.once("error", reject);
    socket.listen(0, "127.0.0.1", () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });
}

const groups = new Set();
process.once("exit", () => groups.forEach((end) => end())); // also after a crash, so that nothing is left running
for (const [name, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]]) process.once(name, () => process.exit(code));

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Start a program in a process group of its own, so that it and all it starts can be ended together. */
export function startGroup(program, args, options = {}) {
  const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"], ...options });
  const output = [];
  child.stdout.on("data", (bytes) => output.push(bytes));
  child.stderr.on("data", (bytes) => output.push(bytes));
  const ended = new Promise((resolve) => {
    child.once("close", resolve);
    child.once("error", (error) => {
      output.push(Buffer.from(String(error)));
      resolve(undefined);
    });
  });
  const signal = (name) => {
    try {
      if (child.pid) process.kill(-child.pid, name);
      return true;
    } catch {
      return false; // nothing is left of the group
    }
  };
  const kill = () => signal("SIGKILL");
  groups.add(kill);
  const end = async () => {
    signal("SIGTERM");
    const limit = Date.now() + END_LIMIT_MS;
    while (signal(0) && Date.now() < limit) await pause(50);
    kill();
    await ended;
    groups.delete(kill);
  };
  return { child, ended, end, text: () => Buffer.concat(output).toString("utf8") };
}

async function answers(origin, process) {
  const limit = Date.now() + START_LIMIT_MS;
  let over = false;
  process.ended.then(() => (over = true));
  while (Date.now() < limit && !over) {
    const reply = await fetch(`${origin}/robots.txt`, { redirect: "manual" }).catch(() => undefined);
    if (reply) {
      await reply.arrayBuffer();
      return true;
    }
    await pause(100);
  }
  return false;
}

async function startWrangler(folder) {
  const state = await mkdtemp(join(tmpdir(), "tsbench-pages-"));
  const [port, inspector] = [await freePort(), await freePort()];
  const group = startGroup(
    process.execPath,
    [
      join(here, "node_modules/wrangler/bin/wrangler.js"),
      "pages", "dev", folder,
      "--ip", "127.0.0.1", "--port", String(port), "--inspector-port", String(inspector),
      "--compatibility-date", "2026-01-01", "--persist-to", join(state, "state"), "--log-level", "warn",
    ],
    {
      cwd: state,
      env: {
        ...process.env,
        CI: "true",
        NO_COLOR: "1",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_LOG_PATH: join(state, "log"),
        WRANGLER_REGISTRY_PATH: join(state, "registry"),
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    },
  );
  const end = async () => {
    await group.end();
    await rm(state, { recursive: true, force: true });
  };
  const origin = `http://127.0.0.1:${port}`;
  if (await answers(origin, group)) return { origin, end, name: "wrangler pages dev" };
  await end();
  throw new Error(`wrangler pages dev did not start: ${group.text().trim().slice(-600)}`);
}

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/x-ndjson",
  ".csv": "text/csv; charset=utf-8",
  ".xml": "application/xml",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
};

/** The address to redirect to, as Pages does for `x.html`, `x/index.html` and slashes that do not fit. */
function properAddress(folder, path) {
  if (path.endsWith("/index.html") || path === "/index.html") return path.slice(0, -"index.html".length);
  if (path.endsWith(".html")) return path.slice(0, -".html".length);
  if (path !== "/" && path.endsWith("/") && !fileAt(folder, path) && fileAt(folder, path.slice(0, -1))) {
    return path.slice(0, -1);
  }
  if (!path.endsWith("/") && !fileAt(folder, path) && fileAt(folder, `${path}/`)) return `${path}/`;
  return undefined;
}

async function startStatic(folder) {
  const rules = headerRules(await readFile(join(folder, "_headers"), "utf8"));
  const server = createServer((request, reply) => {
    const path = new URL(request.url, "http://site.invalid").pathname;
    const hidden = ["/_headers", "/_redirects"].includes(path) || path.includes("..");
    const moved = hidden ? undefined : properAddress(folder, path);
    if (moved !== undefined) return reply.writeHead(308, { Location: moved }).end();
    const found = hidden ? undefined : fileAt(folder, path);
    const file = found ?? "404.html";
    const headers = {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Access-Control-Allow-Origin": "*",
      "Referrer-Policy": "strict-origin-when-cross-origin",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": found ? "public, max-age=0, must-revalidate" : "no-store",
    };
    for (const [name, value] of headersFor(rules, path)) {
      if (found || name !== "cache-control") headers[Object.keys(headers).find((own) => own.toLowerCase() === name) ?? name] = value;
    }
    reply.writeHead(found ? 200 : 404, headers);
    return createReadStream(join(folder, file)).pipe(reply);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const end = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${server.address().port}`, end, name: "the small static server" };
}

/** Serve `folder`; `how` is "wrangler" or "static". The result has origin, name and end(). */
export function serve(folder, how) {
  return how === "static" ? startStatic(folder) : startWrangler(folder);
}
