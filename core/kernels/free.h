// Views without required lists: one window at a time, by block-max MaxScore (Turtle and Flood, IPM 1995; Ding and Suel, SIGIR 2011).
// Lists whose upper bounds together do not reach the needed score are optional: they are looked up only for captures that the other
// lists brought close enough to it.
#pragma once
#include "cursor.h"
#include "hits.h"
#include "score.h"

#define SPARSE 768         // with fewer postings in a window it is cheaper to remember which captures got a score than to test all
#define FEW_FREQUENCIES 12 // if fewer postings of a block are needed, their frequencies are unpacked one by one
#define LOOKUP_COST 20     // cost of looking up a capture in a list, in postings that could be scored in the same time

static Cursor cursors[MAX_LISTS];
static u8 byBound[MAX_LISTS]; // numbers of the free lists, the lowest bound in the current window first
static u64 condition[WINDOW / 64] __attribute__((aligned(16))); // the captures of a window that may match; `fill` sets it
static i32 scores[WINDOW] __attribute__((aligned(16)));         // by offset from the first capture of the window; 0 between windows
static u64 touched[WINDOW / 64];                                // captures with a score in `scores`, if the window is sparse; else 0
static u32 candidates[WINDOW + 4];                              // ordinals, ascending
static i32 reached[WINDOW + 4];                                 // the scores of the candidates
static u32 candidateCount;
static u32 insideOrdinals[BLOCK + 4] __attribute__((aligned(16))), insideFrequencies[BLOCK + 4] __attribute__((aligned(16)));
static u8 inside[BLOCK + 4];

// Sets the bound of each free list in the window, and sorts the lists by it. Returns the sum of the bounds.
INLINE i32 boundLists(u32 lists, u32 window) {
  i32 total = 0;
  for (u32 i = 0; i < lists; i++) {
    const u8 list = byBound[i];
    Cursor *c = &cursors[list];
    total += c->most = window < c->windows ? bound(c->windowImpacts[window], c->weight, c->step) : 0;
    u32 at = i;
    for (; at > 0 && cursors[byBound[at - 1]].most > c->most; at--) byBound[at] = byBound[at - 1];
    byBound[at] = list;
  }
  return total;
}

// Asks for the condition in a window. Returns the number of captures in [start, end) that it admits.
static u32 fillCondition(u32 view, u32 window, u32 start, u32 end) {
  fill(view, window);
  const u32 base = window * WINDOW;
  u32 count = 0;
  for (u32 word = 0; word < WINDOW / 64; word++) {
    const u32 at = base + word * 64;
    if (at + 64 <= start || at >= end) condition[word] = 0;
    else {
      if (at < start) condition[word] &= ~0ull << (start - at);
      if (at + 64 > end) condition[word] &= ~0ull >> (at + 64 - end);
    }
    count += __builtin_popcountll(condition[word]);
  }
  return count;
}

// Keeps, of the postings [from, to) of a block, those published within the days. Returns their number.
INLINE u32 keepPublished(Cursor *c, u32 block, u32 from, u32 to, const View *v) {
  u32 kept = 0;
  for (u32 i = from; i < to; i++) { // without a branch, which would often be mispredicted
    insideOrdinals[kept] = c->ordinals[i];
    inside[kept] = i;
    kept += v->days[c->ordinals[i]] - v->dayFrom < v->daySpan;
  }
  if (kept < FEW_FREQUENCIES)
    for (u32 i = 0; i < kept; i++) insideFrequencies[i] = frequencyAt(c->list, block * BLOCK + inside[i]);
  else {
    decodeFrequencies(c, block);
    for (u32 i = 0; i < kept; i++) insideFrequencies[i] = c->frequencies[inside[i]];
  }
  return kept;
}

// Adds the contributions of a list to the scores of the window. Skips blocks whose upper bound is below `least`.
static void addList(Cursor *c, const View *v, u32 start, u32 end, i32 least, int isSparse) {
  u32 block = blockFrom(c, c->block, start);
  for (; block < c->blocks; block++) {
    const u32 last = c->list->last[block];
    if (bound(c->impacts[block], c->weight, c->step) >= least) {
      decode(c, block);
      const u32 *ordinals = c->ordinals, *frequencies = c->frequencies;
      u32 from = ordinals[c->next] >= start ? c->next : lowerBound(ordinals, start);
      u32 to = last < end ? sizeOf(c, block) : lowerBound(ordinals, end);
      c->next = to < BLOCK ? to : BLOCK - 1;
      if (from < to && v->days) {
        to = keepPublished(c, block, from, to, v);
        from = 0;
        ordinals = insideOrdinals;
        frequencies = insideFrequencies;
      } else if (from < to) decodeFrequencies(c, block);
      if (from < to) {
        contributions(from, to, ordinals, frequencies, c->weight, v);
        if (isSparse)
          for (u32 i = from; i < to; i++) {
            const u32 at = ordinals[i] % WINDOW;
            touched[at >> 6] |= 1ull << (at & 63);
            scores[at] += contributed[i];
          }
        else
          for (u32 i = from; i < to; i++) scores[ordinals[i] % WINDOW] += contributed[i];
      }
    }
    if (last + 1 >= end) break;
  }
  c->block = block;
}

INLINE void addCandidate(u32 ordinal, i32 score, i32 least) {
  candidates[candidateCount] = ordinal;
  reached[candidateCount] = score;
  candidateCount += score >= least;
}

// Takes the captures with a score of at least `least` as candidates, and clears the scores.
static void takeTouched(u32 base, i32 least) {
  for (u32 word = 0; word < WINDOW / 64; word++) {
    u64 bits = touched[word];
    if (!bits) continue;
    touched[word] = 0;
    for (; bits; bits &= bits - 1) {
      const u32 at = word * 64 + __builtin_ctzll(bits);
      addCandidate(base + at, scores[at], least);
      scores[at] = 0;
    }
  }
}

static void takeScored(u32 base, u32 start, u32 end, i32 least) {
  const v128_t needed = wasm_i32x4_splat(least), zero = wasm_i32x4_splat(0);
  for (u32 at = (start - base) & ~15u; at < end - base; at += 16) {
    const v128_t a = wasm_i32x4_ge(load(scores + at), needed), b = wasm_i32x4_ge(load(scores + at + 4), needed);
    const v128_t c = wasm_i32x4_ge(load(scores + at + 8), needed), d = wasm_i32x4_ge(load(scores + at + 12), needed);
    if (wasm_v128_any_true(wasm_v128_or(wasm_v128_or(a, b), wasm_v128_or(c, d))))
      for (u32 bits = bitsOf16(a, b, c, d); bits; bits &= bits - 1) {
        const u32 i = at + __builtin_ctz(bits);
        addCandidate(base + i, scores[i], least);
      }
    for (u32 i = 0; i < 16; i += 4) wasm_v128_store(scores + at + i, zero);
  }
}

static void takeAdmitted(u32 base, i32 least) {
  for (u32 word = 0; word < WINDOW / 64; word++)
    for (u64 bits = condition[word]; bits; bits &= bits - 1) {
      const u32 at = word * 64 + __builtin_ctzll(bits);
      addCandidate(base + at, scores[at], least);
    }
  __builtin_memset(scores, 0, sizeof scores);
}

// Adds an optional list to the scores of the candidates, and drops those that stay below `close`.
static void lookUp(Cursor *c, const View *v, i32 close) {
  u32 kept = 0, block = c->block, from = 0;
  u32 known = 0; // the first ordinal behind the current block
  i32 most = 0;  // bound of that block
  for (u32 i = 0; i < candidateCount; i++) {
    const u32 ordinal = candidates[i];
    i32 score = reached[i];
    if (score + c->most < close) continue;
    if (ordinal >= known) {
      block = blockFrom(c, block, ordinal);
      const int isEnd = block >= c->blocks;
      most = isEnd ? 0 : bound(c->impacts[block], c->weight, c->step);
      known = isEnd ? ~0u : c->list->last[block] + 1;
      from = 0;
    }
    if (score + most < close) continue;
    if (most) {
      decode(c, block);
      const u32 at = find(c, ordinal, &from);
      if (at != NONE)
        score += contribution(c->weight, (f64)frequencyAt(c->list, block * BLOCK + at) + 1.0, v->slope, (f64)lengthOf(v, ordinal));
    }
    candidates[kept] = ordinal;
    reached[kept] = score;
    kept += score >= close;
  }
  c->block = block < c->blocks ? block : c->blocks - 1;
  candidateCount = kept;
}

static void scoreWindow(const View *v, u32 view, u32 window) {
  const u32 base = window * WINDOW, lists = v->count;
  const u32 start = base > v->from ? base : v->from, end = base + WINDOW < v->to ? base + WINDOW : v->to;
  const i32 needed = scoreNeeded(), mostBoost = (v->flags & BOOSTS) ? maxBoost(view, window) : 0;
  const i32 total = mostBoost + boundLists(lists, window);
  if (total < needed) return;
  const int isFiltered = v->flags & FILLS;
  const u32 admitted = isFiltered ? fillCondition(view, window, start, end) : 0;
  if (isFiltered && admitted == 0) return;
  u32 optional = 0, postings = 0;
  i32 optionalMost = mostBoost;
  for (; optional < lists; optional++) {
    const Cursor *c = &cursors[byBound[optional]];
    if (optionalMost + c->most >= needed && !(isFiltered && admitted * LOOKUP_COST < c->density)) break;
    optionalMost += c->most;
  }
  for (u32 i = optional; i < lists; i++) postings += cursors[byBound[i]].density;
  if (v->days) postings /= 4;
  const int isSparse = !isFiltered && postings < SPARSE;
  for (u32 i = optional; i < lists; i++) {
    Cursor *c = &cursors[byBound[i]];
    if (c->most > 0) addList(c, v, start, end, needed - total + c->most, isSparse);
  }
  candidateCount = 0;
  const i32 least = needed - optionalMost;
  if (isFiltered) takeAdmitted(base, least);
  else if (isSparse) takeTouched(base, least < 1 ? 1 : least);
  else takeScored(base, start, end, least < 1 ? 1 : least);
  // The list with the highest bound first.
  for (u32 i = optional; i-- > 0 && candidateCount > 0;) {
    Cursor *c = &cursors[byBound[i]];
    optionalMost -= c->most;
    if (c->most > 0) lookUp(c, v, needed - optionalMost);
  }
  // The newest first, because it wins ties.
  for (u32 i = candidateCount; i-- > 0;) offer(v, (Hit){reached[i], view, candidates[i]}, mostBoost);
}
