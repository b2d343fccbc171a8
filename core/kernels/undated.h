// Counts the captures of a view that match but for their missing publish date. Only for views in which each capture in any list
// matches: there is neither a required list nor a condition.
#pragma once
#include "free.h"

// Marks the captures without a publish date that a list has in the range of ordinals [start, end), which is within one window.
static void markUndated(Cursor *c, const View *v, u32 start, u32 end) {
  u32 block = blockFrom(c, c->block, start);
  for (; block < c->blocks; block++) {
    const u32 last = c->list->last[block];
    decode(c, block);
    const u32 from = c->ordinals[c->next] >= start ? c->next : lowerBound(c->ordinals, start);
    const u32 to = last < end ? sizeOf(c, block) : lowerBound(c->ordinals, end);
    c->next = to < BLOCK ? to : BLOCK - 1;
    for (u32 i = from; i < to; i++) { // without a branch, which would often be mispredicted
      const u32 at = c->ordinals[i] % WINDOW;
      touched[at >> 6] |= (u64)(v->days[c->ordinals[i]] == UNDATED) << (at & 63);
    }
    if (last + 1 >= end) break;
  }
  c->block = block;
}

// Counts the marked captures that are current, and removes the marks.
static u32 takeUndated(const View *v, u32 view, u32 base) {
  u32 count = 0;
  for (u32 word = 0; word < WINDOW / 64; word++) {
    u64 bits = touched[word];
    touched[word] = 0;
    for (; bits; bits &= bits - 1) {
      const u32 ordinal = base + word * 64 + __builtin_ctzll(bits);
      count += !hasEnded(v, ordinal) || isCurrent(view, ordinal);
    }
  }
  return count;
}

// Counts no further window from `limit` on.
static u32 countView(const View *v, u32 view, u32 limit) {
  u32 count = 0;
  for (u32 base = v->from / WINDOW * WINDOW; base < v->to && count < limit; base += WINDOW) {
    const u32 start = base > v->from ? base : v->from, end = base + WINDOW < v->to ? base + WINDOW : v->to;
    for (u32 i = 0; i < v->count; i++) markUndated(&cursors[i], v, start, end);
    count += takeUndated(v, view, base);
  }
  return count;
}
