import { readFileSync, writeFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createApp } from "./app.ts";
import { Store } from "./store.ts";
import type { Room, User } from "./types.ts";

const ROOMS: Room[] = [
  { id: "aurora", name: "Aurora", seats: 8 },
  { id: "borealis", name: "Borealis", seats: 4 },
  { id: "cirrus", name: "Cirrus", seats: 16 },
];

function readTokens(path: string | undefined): Map<string, User> {
  if (path === undefined) throw new Error("ROOMBOOK_TOKENS names no file");
  return new Map(Object.entries(JSON.parse(readFileSync(path, "utf8")) as Record<string, User>));
}

const store = new Store(ROOMS);
const app = createApp({ store, tokens: readTokens(process.env["ROOMBOOK_TOKENS"]) });
const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 8080) }, (info) => {
  console.log(`listening on port ${info.port}`);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close(() => {
      writeFileSync(process.env["ROOMBOOK_SNAPSHOT"] ?? "snapshot.json", JSON.stringify(store.snapshot(), null, 2));
      process.exit(0);
    });
  });
}
