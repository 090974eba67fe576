import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = process.cwd();
const source = join(root, "src");
const probe = join(source, "__types.probe.ts");

/** A module that compiles if the types are those that the statement asks for. */
const PROBE = `
import { type Config, ConfigError, loadConfig, nextDelay, transportOptions } from "./index";
import type { Config as Own } from "./config";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Any<T> = 0 extends 1 & T ? true : false;

const config = loadConfig({ json: "{}", env: {} });
export const whole: Config & Own = config;
export const types: [
  Same<Config["environment"], "development" | "staging" | "production">,
  Same<Config["listen"]["host"], string>,
  Same<Config["listen"]["port"], number>,
  Same<Config["smtp"]["host"], string>,
  Same<Config["smtp"]["port"], number>,
  Same<Config["smtp"]["secure"], boolean>,
  Same<Config["limits"]["messagesPerMinute"], number>,
  Same<Config["limits"]["maxSizeBytes"], number>,
  Same<Config["queue"]["directory"], string>,
  Same<Config["features"]["dkim"], boolean>,
  Same<Config["allowedDomains"][number], string>,
  Same<Config["queue"]["retryDelays"][number], number>,
  Same<Config["smtp"]["username"], string | undefined>,
  Same<Config["smtp"]["password"], string | undefined>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true];
export const any: [Any<Config>, Any<Config["smtp"]>, Any<ReturnType<typeof loadConfig>>] = [false, false, false];
export const lists: [readonly string[], readonly number[]] = [config.allowedDomains, config.queue.retryDelays];
export const issues: readonly { path: string; message: string }[] = (null as unknown as ConfigError).issues;
export const used = [nextDelay(config, 1), transportOptions(config)];

// @ts-expect-error a key that does not exist
config.smtp.prot;
// @ts-expect-error a section that does not exist
config.smpt;
// @ts-expect-error the old way
config.get("smtp.port");
// @ts-expect-error no text that the environment may be
config.environment === "prod";
// @ts-expect-error no whole configuration
nextDelay({ queue: "x" }, 1);
`;

function compile(): ts.Program {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === probe || fileExists(name);
  host.readFile = (name) => (name === probe ? PROBE : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === probe ? ts.createSourceFile(name, PROBE, ts.ScriptTarget.ES2022, true) : getSourceFile(name, ...rest);
  const files = (readdirSync(source, { recursive: true }) as string[]).filter((name) => name.endsWith(".ts"));
  return ts.createProgram([...files.map((name) => join(source, name)), probe], { ...options, noEmit: true }, host);
}

const program = compile();
const faults = (own: boolean) =>
  ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => (file?.fileName === probe) === own)
    .map(({ file, start, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start!).line + 1;
      return `${file?.fileName.slice(root.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });

describe("the compiler", () => {
  it("knows every value of the configuration", { timeout: 60_000 }, () => {
    expect(faults(true)).toEqual([]);
  });

  it("has nothing against the sources", { timeout: 60_000 }, () => {
    expect(faults(false)).toEqual([]);
  });
});

describe("the sources", () => {
  it("have no `any`", () => {
    const left: string[] = [];
    for (const file of program.getSourceFiles()) {
      if (!file.fileName.startsWith(source) || file.fileName === probe) continue;
      const visit = (node: ts.Node): void => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) {
          left.push(`${file.fileName.slice(root.length + 1)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
        }
        ts.forEachChild(node, visit);
      };
      visit(file);
    }
    expect(left).toEqual([]);
  });
});
