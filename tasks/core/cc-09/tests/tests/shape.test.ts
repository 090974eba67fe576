import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = process.cwd();
const source = join(root, "src");

function program() {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = (readdirSync(source, { recursive: true }) as string[]).filter((name) => name.endsWith(".ts"));
  return ts.createProgram(files.map((name) => join(source, name)), { ...options, noEmit: true });
}

const all = program();
const checker = all.getTypeChecker();
const modules = all.getSourceFiles().filter((file) => file.fileName.startsWith(source));
const at = (node: ts.Node) => {
  const file = node.getSourceFile();
  return `${file.fileName.slice(root.length + 1)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
};

/** A function that is told of the end of something: by its name, or since an error is the first that it gets. */
function isCompletion(parameter: ts.Symbol): boolean {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  const signatures = type.getCallSignatures();
  if (signatures.length === 0) return false;
  if (/^(cb|callback|done|next)$/i.test(parameter.name)) return true;
  return signatures.some(({ parameters: [first] }) => first !== undefined && /^err(or)?$/i.test(first.name));
}

/** Parameters of what a module exports, methods of classes included. */
function* parameters(symbol: ts.Symbol): Generator<{ of: string; parameter: ts.Symbol }> {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const signatures = (type: ts.Type) => [...type.getCallSignatures(), ...type.getConstructSignatures()];
  if (target.flags & ts.SymbolFlags.Value) {
    for (const signature of signatures(checker.getTypeOfSymbol(target))) {
      for (const parameter of signature.parameters) yield { of: target.name, parameter };
    }
  }
  if (target.flags & ts.SymbolFlags.Class) {
    for (const member of checker.getDeclaredTypeOfSymbol(target).getProperties()) {
      for (const signature of signatures(checker.getTypeOfSymbol(member))) {
        for (const parameter of signature.parameters) yield { of: `${target.name}.${member.name}`, parameter };
      }
    }
  }
}

describe("the sources", () => {
  it("pass the compiler", { timeout: 60_000 }, () => {
    const faults = ts.getPreEmitDiagnostics(all).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    expect(faults).toEqual([]);
  });

  it("export nothing that takes a completion callback", () => {
    const left = modules.flatMap((file) => {
      const symbol = checker.getSymbolAtLocation(file);
      return (symbol === undefined ? [] : checker.getExportsOfModule(symbol)).flatMap((exported) =>
        [...parameters(exported)].filter(({ parameter }) => isCompletion(parameter)).map(({ of, parameter }) => `${of}(${parameter.name})`),
      );
    });
    expect([...new Set(left)]).toEqual([]);
  });

  it("use the file system by promises", () => {
    const left: string[] = [];
    const allowed = (name: string) => ["promises", "constants"].includes(name) || /^[A-Z]/.test(name);
    for (const file of modules) {
      const spaces = new Set<string>();
      for (const statement of file.statements) {
        if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) continue;
        if (!/^(node:)?fs$/.test((statement.moduleSpecifier as ts.StringLiteral).text)) continue;
        const { name, namedBindings } = statement.importClause ?? {};
        if (name) spaces.add(name.text);
        if (namedBindings && ts.isNamespaceImport(namedBindings)) spaces.add(namedBindings.name.text);
        if (namedBindings && ts.isNamedImports(namedBindings)) {
          for (const element of namedBindings.elements) {
            const imported = (element.propertyName ?? element.name).text;
            if (!element.isTypeOnly && !allowed(imported)) left.push(`${at(element)} ${imported}`);
          }
        }
      }
      const visit = (node: ts.Node): void => {
        if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && spaces.has(node.expression.text)) {
          if (!allowed(node.name.text)) left.push(`${at(node)} ${node.name.text}`);
        }
        ts.forEachChild(node, visit);
      };
      visit(file);
    }
    expect(left).toEqual([]);
  });

  it("still have the command", () => {
    expect(existsSync(join(source, "bin.ts"))).toBe(true);
  });
});
