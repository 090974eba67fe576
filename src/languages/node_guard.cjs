// Loaded before the code under test by Node's own runner: what the runner stands on cannot be replaced by that code, and
// the objects in which it keeps how a test ended cannot be had.
//
// What is locked keeps working for everything else: a class may override a method, an instance may have its own.
"use strict";
const { types } = require("node:util");

// Locks the properties of an object. Those of a prototype stay assignable on what inherits from it, which a plain
// read-only property would forbid.
function lock(object, closed) {
  for (const key of Reflect.ownKeys(object)) {
    const found = Reflect.getOwnPropertyDescriptor(object, key);
    if (!found.configurable) continue;
    if ("value" in found && key !== "prototype") {
      const value = found.value;
      const set = function (other) {
        if (this === object) throw new TypeError(`${String(key)} belongs to the test runner and cannot be replaced`);
        Reflect.defineProperty(this, key, { value: other, writable: true, enumerable: true, configurable: true });
      };
      Reflect.defineProperty(object, key, { get: () => value, set, enumerable: found.enumerable, configurable: false });
    } else {
      Reflect.defineProperty(object, key, { configurable: false });
    }
  }
  if (closed) Object.preventExtensions(object);
}

// The prototypes of these, and what these themselves hold.
function lockAll(list, closed) {
  for (const one of list.filter((x) => typeof x === "function" || (typeof x === "object" && x !== null))) {
    if (typeof one === "function" && one.prototype) lock(one.prototype, closed);
    if (typeof one === "function" && !types.isProxy(one)) lock(one, false);
  }
}

const hooks = require("node:async_hooks");
const stream = require("node:stream");
const v8 = require("node:v8");
const { EventEmitter } = require("node:events");
const test = require("node:test");

// What runs inside a test can ask for the innermost resource, which is the test itself.
const { createHook } = hooks;
hooks.createHook = function (callbacks) {
  const init = callbacks?.init;
  if (typeof init !== "function") return createHook(callbacks);
  return createHook({ ...callbacks, init: (id, type, trigger) => Reflect.apply(init, callbacks, [id, type, trigger, {}]) });
};
const resources = new WeakMap();
const { executionAsyncResource } = hooks;
hooks.executionAsyncResource = function () {
  const found = executionAsyncResource();
  if (!resources.has(found)) resources.set(found, {});
  return resources.get(found);
};

// A field that is set for the first time asks every prototype above for a setter, an element of a list likewise. These
// take no further properties, so that nothing of the runner goes through a setter of the code under test. `should` is the
// one that a known library of assertions adds.
for (const name of ["should", "Should"]) {
  Reflect.defineProperty(Object.prototype, name, { value: undefined, writable: true, configurable: true });
}
for (const one of [Object.prototype, Array.prototype, Function.prototype]) Object.preventExtensions(one);

const generator = Object.getPrototypeOf(async function* () {}).prototype;
const plain = Object.getPrototypeOf(function* () {}).prototype;
for (const one of [generator, plain, Object.getPrototypeOf(generator), Object.getPrototypeOf(plain)]) lock(one, false);
lock(Object.getPrototypeOf([][Symbol.iterator]()), false);
lockAll([hooks.AsyncResource, hooks.AsyncLocalStorage], true);
lockAll([EventEmitter, stream, stream.Readable, stream.Writable, stream.Duplex, stream.Transform, stream.PassThrough], false);
lockAll([Promise, AbortController], false);
// Native code reads these where no script may run, so that they stay plain properties.
for (const one of [v8.Serializer, v8.DefaultSerializer, v8.Deserializer, v8.DefaultDeserializer]) {
  Object.freeze(one.prototype);
  Object.freeze(one);
}
lockAll([Buffer, Object.getPrototypeOf(Uint8Array), AbortSignal, EventTarget], false);
lock(Reflect, true);

// Assertions of the test context that were there may not be replaced; new ones may be added.
if (test.assert?.register) {
  const { register } = test.assert;
  const known = new Set([...Object.keys(require("node:assert")), "snapshot", "fileSnapshot"]);
  test.assert.register = function (name, fn) {
    if (known.has(name)) throw new TypeError(`the assertion ${name} belongs to the test runner and cannot be replaced`);
    return register(name, fn);
  };
  Object.freeze(test.assert);
}

const refuse = (what) => () => {
  throw new Error(`${what} is closed while hidden tests run`);
};
// It gives back the stream that the runner reports through.
test.run = refuse("run() of node:test");
// Debuggers and bindings see every object of the process.
try {
  const inspector = require("node:inspector");
  for (const name of ["connect", "connectToMainThread"]) inspector.Session.prototype[name] = refuse("the inspector");
  lock(inspector.Session.prototype, false);
  inspector.open = refuse("the inspector");
} catch {
  // Node may be built without one.
}
for (const name of ["getHeapSnapshot", "writeHeapSnapshot", "setFlagsFromString"]) v8[name] = refuse(`v8.${name}`);
for (const name of ["binding", "_linkedBinding", "_debugProcess", "_debugEnd"]) {
  Reflect.defineProperty(process, name, { value: refuse(`process.${name}`), writable: false, configurable: false });
}
// A worker loads this file too, whatever its options say.
const threads = require("node:worker_threads");
const { Worker } = threads;
const Guarded = new Proxy(Worker, {
  construct: (target, [file, options], made) => Reflect.construct(target, [file, { ...options, execArgv: undefined }], made),
});
Worker.prototype.constructor = Guarded;
threads.Worker = Guarded;
Object.freeze(Worker.prototype);
require("node:module").syncBuiltinESMExports();
