import { readFileSync } from "node:fs";
import { type HttpBindings, serve } from "@hono/node-server";
import { createApp } from "./app.ts";
import type { Account } from "./types.ts";

const accounts = JSON.parse(readFileSync(process.env["ACCOUNTS"] ?? "accounts.json", "utf8")) as Record<string, Account>;
const app = createApp({ accounts: new Map(Object.entries(accounts)) });

serve(
  {
    fetch: (request, env) => {
      const { incoming } = env as HttpBindings;
      return app.fetch(request, { remoteAddress: incoming.socket.remoteAddress });
    },
    port: Number(process.env["PORT"] ?? 8080),
  },
  ({ port }) => console.log(`listening on port ${port}`),
);
