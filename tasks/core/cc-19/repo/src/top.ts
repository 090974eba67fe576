import type { Compare } from "./types";

/**
 * The rows from `offset` to `offset + count` of the sorted list, without sorting what comes after: a heap keeps the
 * first rows while the others pass by.
 */
export function topRows<Row>(rows: readonly Row[], compare: Compare<Row>, offset: number, count: number): Row[] {
  const size = Math.min(offset + count, rows.length);
  const heap: Row[] = [];
  for (const row of rows) {
    if (heap.length < size) {
      heap.push(row);
      up(heap, compare);
    } else if (size > 0 && compare(row, heap[0]!) < 0) {
      heap[0] = row;
      down(heap, heap.length, compare);
    }
  }
  // The last of them all is at the root: it goes to the end, again and again.
  for (let end = heap.length - 1; end > 0; end -= 1) {
    [heap[0], heap[end]] = [heap[end]!, heap[0]!];
    down(heap, end, compare);
  }
  return heap.slice(offset);
}

function up<Row>(heap: Row[], compare: Compare<Row>): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (compare(heap[at]!, heap[parent]!) <= 0) return;
    [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
    at = parent;
  }
}

function down<Row>(heap: Row[], size: number, compare: Compare<Row>): void {
  let at = 0;
  for (;;) {
    let last = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < size && compare(heap[child]!, heap[last]!) > 0) last = child;
    }
    if (last === at) return;
    [heap[at], heap[last]] = [heap[last]!, heap[at]!];
    at = last;
  }
}
