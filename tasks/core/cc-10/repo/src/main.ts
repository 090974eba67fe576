import { readFileSync } from "node:fs";
import { loadConfig } from "./config";
import { describeConfig } from "./describe";

const file = process.env["RELAY_CONFIG"] ?? "relay.json";
const config = loadConfig({ json: readFileSync(file, "utf8"), env: process.env });
for (const line of describeConfig(config)) console.log(line);
