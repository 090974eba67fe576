import * as fs from "node:fs";
import * as path from "node:path";

export type Callback<T = void> = (error: Error | null, value?: T) => void;

/** Reads a file as UTF-8, without a byte order mark. */
export function readText(file: string, callback: Callback<string>): void {
  fs.readFile(file, "utf8", (error, text) => {
    if (error) return callback(error);
    callback(null, text.startsWith("\uFEFF") ? text.slice(1) : text);
  });
}

let written = 0;

/** Replaces a file in one step. Leaves nothing behind if that fails. */
export function writeAtomic(file: string, text: string, callback: Callback): void {
  const draft = `${file}.${process.pid}-${(written += 1)}.tmp`;
  fs.writeFile(draft, text, (error) => {
    if (error) return callback(error);
    fs.rename(draft, file, (error) => {
      if (!error) return callback(null);
      fs.rm(draft, { force: true }, () => callback(error));
    });
  });
}

/** Paths of the files of a folder that end with an extension, in the order of their names. */
export function listFiles(folder: string, extension: string, callback: Callback<string[]>): void {
  fs.readdir(folder, { withFileTypes: true }, (error, entries) => {
    if (error) return callback(error);
    const names = entries.filter((entry) => entry.isFile() && entry.name.endsWith(extension)).map((entry) => entry.name);
    callback(
      null,
      names.sort().map((name) => path.join(folder, name)),
    );
  });
}

/** Moves a file into a folder, which is made if need be, and gives back the new path. */
export function moveFile(file: string, folder: string, callback: Callback<string>): void {
  const target = path.join(folder, path.basename(file));
  fs.mkdir(folder, { recursive: true }, (error) => {
    if (error) return callback(error);
    fs.rename(file, target, (error) => {
      if (error) return callback(error);
      callback(null, target);
    });
  });
}
