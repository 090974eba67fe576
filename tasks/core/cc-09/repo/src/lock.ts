import * as fs from "node:fs";
import type { Callback } from "./files";

export class LockError extends Error {
  override name = "LockError";

  constructor(readonly path: string) {
    super(`${path} is there: somebody else is at work`);
  }
}

/** Does some work while a folder exists that nobody else could make; removes it however the work ends. */
export function withLock<T>(folder: string, work: (done: Callback<T>) => void, callback: Callback<T>): void {
  fs.mkdir(folder, (error) => {
    if (error) return callback(error.code === "EEXIST" ? new LockError(folder) : error);
    work((failure, value) => {
      fs.rmdir(folder, (error) => {
        if (failure) return callback(failure);
        if (error) return callback(error);
        callback(null, value);
      });
    });
  });
}
