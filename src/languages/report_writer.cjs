// Writes sealed lines (tsbench.report/1) for the reporters beside it.
//
// Standard input, each on a line: the key, the report folder, the root of the tree. They are read once, by the process
// that runs the reporter, when it is loaded; processes that run tests never get them.
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

function line() {
  const bytes = [];
  const one = Buffer.alloc(1);
  for (;;) {
    let count;
    try {
      count = fs.readSync(0, one, 0, 1, null);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      continue;
    }
    if (count === 0 || one[0] === 10) return Buffer.from(bytes).toString();
    bytes.push(one[0]);
  }
}

class Writer {
  #mac;
  #file;
  #lines = 0;
  #root;
  #closed = false;

  constructor() {
    this.#mac = crypto.createHmac("sha256", line());
    const folder = line();
    this.#root = fs.realpathSync(line());
    fs.mkdirSync(folder, { recursive: true });
    this.#file = fs.openSync(path.join(folder, "report.jsonl"), "wx");
  }

  #write(fields) {
    if (this.#closed) return;
    const data = Buffer.from(JSON.stringify(fields) + "\n");
    this.#mac.update(data);
    fs.writeSync(this.#file, data);
    this.#lines += 1;
  }

  file(name) {
    return path.relative(this.#root, path.resolve(name)).split(path.sep).join("/");
  }

  case(file, titles, status, milliseconds, message) {
    const seconds = Number.isFinite(milliseconds) ? milliseconds / 1000 : null;
    const text = status === "passed" ? "" : clean(message).slice(0, 2000);
    const id = `${this.file(file)}::${titles.map((t) => clean(t).trim()).join(" > ").normalize("NFC")}`;
    this.#write({ id, status, seconds, message: text });
  }

  problem(text) {
    this.#write({ problem: clean(text).slice(0, 2000) });
  }

  close() {
    if (this.#closed) return;
    this.#mac.update(`end ${this.#lines} `);
    const end = { end: true, lines: this.#lines, mac: this.#mac.digest("hex") };
    fs.writeSync(this.#file, JSON.stringify(end) + "\n");
    fs.closeSync(this.#file);
    this.#closed = true;
  }
}

// Half of a surrogate pair is no text to others.
function clean(text) {
  return Buffer.from(String(text ?? "")).toString();
}

module.exports = { Writer };
