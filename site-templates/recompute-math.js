// Sums, whole-number helpers, normal and Student t functions, SHA-256 and the seeded generator. Pure; imports nothing.

/** Sum with a running correction (Neumaier), so that the order of lines cannot matter at the published precision. */
export function sum(values) {
  let total = 0;
  let rest = 0;
  for (const v of values) {
    const next = total + v;
    rest += Math.abs(total) >= Math.abs(v) ? total - next + v : v - next + total;
    total = next;
  }
  return total + rest;
}

export function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

/** Compares two strings by their UTF-8 bytes (equal to comparing by code point). */
export function byBytes(a, b) {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const wide = (u) => u >= 0xd800 && u <= 0xdfff; // a surrogate stands for a code point above every single unit
    if (wide(x) !== wide(y)) return wide(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

// ---- normal distribution

export const Z_975 = 1.959963984540054;
export const Z_80 = 0.8416212335729143;
const density = (x) => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);

// Upper tail for x >= 3: Laplace's continued fraction from its far end; 80 levels reach the last bit from x = 3.
function upperTail(x) {
  let f = x;
  for (let k = 80; k > 0; k--) f = x + k / f;
  return density(x) / f;
}

/** Standard normal distribution function. */
export function normalCdf(x) {
  if (x <= -3) return upperTail(-x);
  if (x >= 3) return 1 - upperTail(x);
  let term = x;
  let total = x;
  for (let k = 1; Math.abs(term) > 1e-18 * Math.abs(total); k++) total += term *= (x * x) / (2 * k + 1);
  return 0.5 + density(x) * total;
}

/** Standard normal quantile: a rough start, then Halley steps on the distribution function. */
export function normalQuantile(p) {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN;
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p === 0.5) return 0;
  const t = Math.sqrt(-2 * Math.log(p));
  let x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (let i = 0; i < 4; i++) {
    const step = (normalCdf(x) - p) / density(x);
    x -= step / (1 + (x * step) / 2);
  }
  return x;
}

// ---- Student t: P(|T| < sqrt(nu) tan a) = 2 r / sqrt(pi) * integral of cos^(nu-1) over [0, a], r = Gamma((nu+1)/2)/Gamma(nu/2)

const NODES = legendre(24);

function legendre(n) {
  const out = [];
  for (let i = 0; i < n; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    let slope = 0;
    for (let step = 0; step < 12; step++) {
      let [before, now] = [1, x];
      for (let k = 2; k <= n; k++) [before, now] = [now, ((2 * k - 1) * x * now - (k - 1) * before) / k];
      slope = (n * (x * now - before)) / (x * x - 1);
      x -= now / slope;
    }
    out.push([x, 2 / ((1 - x * x) * slope * slope)]);
  }
  return out;
}

function gammaRatio(nu) {
  if (nu > 400) {
    const y = 2 / nu;
    return Math.sqrt(nu / 2) * (1 + y * (-1 / 8 + y * (1 / 128 + y * (5 / 1024 - (y * 21) / 32768))));
  }
  let r = nu % 2 ? 1 / Math.sqrt(Math.PI) : Math.sqrt(Math.PI) / 2;
  for (let k = nu % 2 ? 1 : 2; k < nu; k += 2) r *= (k + 1) / k;
  return r;
}

const cosPower = (a, nu) => Math.exp(0.5 * (nu - 1) * Math.log1p(-(Math.sin(a) ** 2)));

function cosIntegral(a, nu) {
  const panels = 8;
  let total = 0;
  for (let i = 0; i < panels; i++) {
    const half = a / panels / 2;
    for (const [x, w] of NODES) total += w * half * cosPower(half * (2 * i + 1 + x), nu);
  }
  return total;
}

const quantiles = new Map();

/** Student t quantile for p in (0.5, 1) and a whole number of degrees of freedom; null below one degree. */
export function tQuantile(p, nu) {
  if (!(nu >= 1)) return null;
  const key = `${p}|${nu}`;
  if (quantiles.has(key)) return quantiles.get(key);
  const target = ((p - 0.5) * Math.sqrt(Math.PI)) / gammaRatio(nu);
  let a = Math.min(target, Math.PI / 2 - 1e-9);
  for (let i = 0; i < 60; i++) {
    // cos^(nu-1) falls, so the integral is concave and Newton climbs to the root from below without passing it.
    const step = (target - cosIntegral(a, nu)) / cosPower(a, nu);
    a += step;
    if (Math.abs(step) < 1e-16 * a) break;
  }
  const t = Math.sqrt(nu) * Math.tan(a);
  quantiles.set(key, t);
  return t;
}

// ---- SHA-256 of short texts (seeds), as the seed must be known where crypto.subtle is not

const PRIMES = (() => {
  const out = [];
  for (let n = 2; out.length < 64; n++) if (out.every((p) => n % p)) out.push(n);
  return out;
})();
function rootBits(n, cube) {
  // First 32 bits of the fractional part of a square or cube root, by whole numbers: floor(root(n * 2^(32e))) mod 2^32.
  const e = cube ? 3n : 2n;
  const want = BigInt(n) << (32n * e);
  let lo = 0n;
  let hi = 1n << 40n;
  while (hi - lo > 1n) {
    const mid = (lo + hi) >> 1n;
    if (mid ** e <= want) lo = mid;
    else hi = mid;
  }
  return Number(lo & 0xffffffffn) | 0;
}
const ROUND = PRIMES.map((p) => rootBits(p, true));
const START = PRIMES.slice(0, 8).map((p) => rootBits(p, false));

/** SHA-256 of a text's UTF-8 bytes, as eight 32-bit words. */
export function sha256Words(text) {
  const bytes = new TextEncoder().encode(text);
  const size = Math.ceil((bytes.length + 9) / 64) * 64;
  const view = new DataView(new ArrayBuffer(size));
  bytes.forEach((b, i) => view.setUint8(i, b));
  view.setUint8(bytes.length, 0x80);
  view.setUint32(size - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(size - 4, (bytes.length << 3) >>> 0);
  const state = Int32Array.from(START);
  const w = new Int32Array(64);
  const r = (x, n) => (x >>> n) | (x << (32 - n));
  for (let at = 0; at < size; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const s0 = r(w[i - 15], 7) ^ r(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = r(w[i - 2], 17) ^ r(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const t1 = (h + (r(e, 6) ^ r(e, 11) ^ r(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
      const t2 = ((r(a, 2) ^ r(a, 13) ^ r(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((v, i) => (state[i] += v));
  }
  return Array.from(state, (v) => v >>> 0);
}

/** SHA-256 of a text in lower-case hex. */
export const sha256Hex = (text) => sha256Words(text).map((v) => v.toString(16).padStart(8, "0")).join("");

/** The seed of a text: the first eight bytes of its SHA-256, little-endian, as 16 hex digits. */
export function seedOf(text) {
  return sha256Hex(text).slice(0, 16).match(/../g).reverse().join("");
}

/** xoshiro128** seeded by two SplitMix64 outputs, and Lemire's unbiased draw below n. */
export function generator(seedHex) {
  const mask = (1n << 64n) - 1n;
  let x = BigInt("0x" + seedHex);
  const split = () => {
    x = (x + 0x9e3779b97f4a7c15n) & mask;
    let z = x;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  };
  const words = [split(), split()].flatMap((v) => [Number(v & 0xffffffffn), Number(v >> 32n)]);
  let [a, b, c, d] = words.map((v) => v | 0);
  let draws = 0;
  const turn = (v, n) => (v << n) | (v >>> (32 - n));
  function next() {
    draws++;
    const out = Math.imul(turn(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = turn(d, 11);
    return out;
  }
  function below(n) {
    const floor = 0x100000000 % n;
    for (;;) {
      const product = next() * n; // exact: n is at most 2^21
      if (product % 0x100000000 >= floor) return Math.floor(product / 0x100000000);
    }
  }
  return { state: words, next, below, draws: () => draws };
}
