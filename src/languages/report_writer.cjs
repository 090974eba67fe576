// Writes sealed lines (tsbench.report/1) for the reporters beside it.
//
// Standard input, each on a line: the key, the report folder, the root of the tree. They are read once, by the process
// that runs the reporter, when it is loaded; processes that run tests never get them.
//
// Some runners run tests in the process of the reporter, where a test may replace what it likes while it runs: JSON,
// Buffer, fs, methods of lists and texts. Everything that makes the report is therefore bound when this file is loaded.
"use strict";
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const { apply } = Reflect;
const { from } = Buffer;
const { readSync, writeSync, openSync, closeSync } = fs;
const { createHmac, createHash } = crypto;
const { stringify } = JSON;
const { isFinite: finite } = Number;
const Text = String;
const Bytes = Buffer;
const { slice, trim, normalize, split } = String.prototype;
const { push, join } = Array.prototype;
const { toString: decode, subarray } = Buffer.prototype;
const { isArray } = Array;

function line() {
  const bytes = [];
  const one = Buffer.alloc(1);
  for (;;) {
    let count;
    try {
      count = readSync(0, one, 0, 1, null);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      continue;
    }
    if (count === 0 || one[0] === 10) return Buffer.from(bytes).toString();
    bytes.push(one[0]);
  }
}

// Bytes of an id, and what is kept of a longer one before its digest: as the reader of these lines cuts it.
const MOST_ID = 4096;
const HEAD_OF_ID = 4000;

const bytesOf = (text) => apply(from, Bytes, [text]);
const sum = createHash("sha256");
const { copy: another, update: hashMore, digest: hashEnd } = sum;

function fitted(id) {
  const data = bytesOf(id);
  if (data.length <= MOST_ID) return id;
  let end = HEAD_OF_ID;
  while ((data[end] & 0xc0) === 0x80) end -= 1;
  const hash = apply(another, sum, []);
  apply(hashMore, hash, [data]);
  const digest = apply(hashEnd, hash, ["hex"]);
  return `${apply(decode, apply(subarray, data, [0, end]), [])}…${apply(slice, digest, [0, 32])}`;
}

// The parts of a path, seen from a folder given by its own.
function parts(name, base) {
  const found = [];
  if (name[0] !== "/") for (let i = 0; i < base.length; i++) apply(push, found, [base[i]]);
  const all = apply(split, name, ["/"]);
  for (let i = 0; i < all.length; i++) {
    if (all[i] === "..") found.length = found.length > 0 ? found.length - 1 : 0;
    else if (all[i] !== "" && all[i] !== ".") apply(push, found, [all[i]]);
  }
  return found;
}

class Writer {
  #mac;
  #update;
  #digest;
  #file;
  #lines = 0;
  #root;
  #here;
  #closed = false;

  constructor() {
    this.#mac = createHmac("sha256", line());
    this.#update = this.#mac.update;
    this.#digest = this.#mac.digest;
    const folder = line();
    this.#root = parts(fs.realpathSync(line()), []);
    this.#here = parts(process.cwd(), []);
    fs.mkdirSync(folder, { recursive: true });
    this.#file = openSync(path.join(folder, "report.jsonl"), "wx");
  }

  #put(data) {
    for (let at = 0; at < data.length; ) at += writeSync(this.#file, data, at);
  }

  // One line of fields that are texts, numbers or nothing.
  #write(text) {
    if (this.#closed) return;
    const data = bytesOf(text + "\n");
    apply(this.#update, this.#mac, [data]);
    this.#put(data);
    this.#lines += 1;
  }

  file(name) {
    const own = parts(clean(name), this.#here);
    const root = this.#root;
    let same = 0;
    while (same < root.length && same < own.length && own[same] === root[same]) same += 1;
    const found = [];
    for (let i = same; i < root.length; i++) apply(push, found, [".."]);
    for (let i = same; i < own.length; i++) apply(push, found, [own[i]]);
    return apply(join, found, ["/"]);
  }

  case(file, titles, status, milliseconds, message) {
    const seconds = finite(milliseconds) ? Text(milliseconds / 1000) : "null";
    const text = status === "passed" ? "" : apply(slice, clean(message), [0, 2000]);
    let title = "";
    for (let i = 0; i < titles.length; i++) title += (i > 0 ? " > " : "") + apply(trim, clean(titles[i]), []);
    const id = fitted(`${this.file(file)}::${apply(normalize, title, ["NFC"])}`);
    const fields = `"id":${stringify(id)},"status":${stringify(status)}`;
    this.#write(`{${fields},"seconds":${seconds},"message":${stringify(clean(text))}}`);
  }

  problem(text) {
    this.#write(`{"problem":${stringify(clean(apply(slice, clean(text), [0, 2000])))}}`);
  }

  doubt(text) {
    this.#write(`{"doubt":${stringify(clean(apply(slice, clean(text), [0, 2000])))}}`);
  }

  close() {
    if (this.#closed) return;
    apply(this.#update, this.#mac, [`end ${this.#lines} `]);
    const mac = apply(this.#digest, this.#mac, ["hex"]);
    this.#put(bytesOf(`{"end":true,"lines":${this.#lines},"mac":${stringify(mac)}}\n`));
    closeSync(this.#file);
    this.#closed = true;
  }
}

// A text of anything. Half of a surrogate pair is no text to others.
function clean(value) {
  let text = "it cannot be shown";
  try {
    text = Text(value ?? "");
  } catch {
    // What a test throws may be anything.
  }
  return apply(decode, bytesOf(text), []);
}

// What several values say of themselves, each on a line; what throws when it is asked says nothing.
function said(values, ask) {
  let text = "";
  if (!isArray(values)) return text;
  for (let i = 0; i < values.length; i++) {
    try {
      text += (i > 0 ? "\n" : "") + clean(ask(values[i]));
    } catch {
      // Getters of a test's own.
    }
  }
  return text;
}

module.exports = { Writer, said };
