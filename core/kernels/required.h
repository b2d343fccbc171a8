// Views with required lists: one block of the leading list at a time. Its captures are candidates. Signatures and upper bounds drop
// most of them before anything is looked up; then the other lists are intersected, the shortest first (small versus small: Culpepper
// and Moffat, TOIS 2010).
#pragma once
#include "free.h"

#define MANY 12             // with this many candidates in a block, its postings are tested instead of being searched
#define MARKED_SPAN 16384   // ordinals that the candidates of one block may span for that
#define SIMILAR 24          // if the candidates of a list are at most this far apart, its blocks are unpacked for their frequencies
#define CONDITION_DENSITY 32 // with fewer captures of the leading list in a window, the condition is only tested one by one

static i32 most[BLOCK + 4];                       // upper bound of the score of each candidate; at the end its score
static u32 placeOf[MAX_LISTS][BLOCK + 4];         // the index of each candidate in each list, or NONE
static u8 marks[MARKED_SPAN];                     // number of a candidate + 1, by distance from the first one; 0 between blocks
static u32 frequencies[BLOCK + 4] __attribute__((aligned(16)));
static u32 filledWindow;                          // the window that `condition` is about, or NONE

// Moves candidate `from` to the place `to`, with its indexes in the first lists.
INLINE void keep(u32 to, u32 from, u32 lists, i32 bound) {
  candidates[to] = candidates[from];
  most[to] = bound;
  for (u32 l = 0; l < lists; l++) placeOf[l][to] = placeOf[l][from];
}

// Which postings of a decoded block may be followed by the next word of a phrase: a bit for each. See mayFollow.
static void mayFollow(Cursor *c, u32 block, const Adjacent *adjacent, u64 *masks) {
  decodeFrequencies(c, block);
  const u8 *signatures = adjacent->signatures + block * BLOCK;
  const v128_t none = wasm_i8x16_splat(0), hash = wasm_i8x16_splat((signed char)adjacent->hash);
  const v128_t bit = wasm_i8x16_splat((signed char)(1 << (adjacent->hash & 7))), once = wasm_i32x4_splat(0);
  for (u32 i = 0; i < BLOCK; i += 16) {
    const v128_t s = load(signatures + i);
    const u32 *f = c->frequencies + i;
    const u32 single = bitsOf16(wasm_i32x4_eq(load(f), once), wasm_i32x4_eq(load(f + 4), once), wasm_i32x4_eq(load(f + 8), once), wasm_i32x4_eq(load(f + 12), once));
    const u32 exact = wasm_i8x16_bitmask(wasm_v128_or(wasm_i8x16_eq(s, none), wasm_i8x16_eq(s, hash)));
    const u32 shared = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_and(s, bit), bit));
    masks[i >> 6] &= ~(0xffffull << (i & 63)) | (u64)((exact | (shared & ~single)) & 0xffff) << (i & 63);
  }
}

INLINE int mayFollowAt(const Cursor *c, u32 index, const Adjacent *adjacent) {
  const u32 s = adjacent->signatures[index];
  return s == 0 || s == adjacent->hash || ((s >> (adjacent->hash & 7) & 1) && frequencyAt(c->list, index) > 0);
}

// Keeps, of the candidates in the leading list, those that the condition admits. Returns their number.
static u32 keepAdmitted(const View *v, u32 view, u32 count) {
  u32 kept = 0;
  for (u32 t = 0; t < count; t++) {
    const u32 window = candidates[t] / WINDOW, at = candidates[t] % WINDOW;
    if (filledWindow != window) {
      fillCondition(view, window, v->from, v->to);
      filledWindow = window;
    }
    keep(kept, t, 1, most[t]);
    kept += condition[at >> 6] >> (at & 63) & 1;
  }
  return kept;
}

// Takes the captures of a block of the leading list as candidates. Returns their number.
static u32 takeBlock(const View *v, u32 view, u32 block, u32 start, u32 end, i32 needed) {
  Cursor *lead = &cursors[0];
  decode(lead, block);
  u64 masks[2] = {~0ull, ~0ull};
  for (u32 a = 0; a < v->adjacentCount; a++)
    if (v->adjacents[a].use == 0) mayFollow(lead, block, &v->adjacents[a], masks);
  const i32 blockMost = bound(lead->impacts[block], lead->weight, lead->step);
  const u32 size = sizeOf(lead, block);
  u32 count = 0, window = NONE;
  i32 windowBound = 0;
  for (u32 half = 0; half < 2; half++)
    for (u64 mask = masks[half]; mask; mask &= mask - 1) {
      const u32 i = half * 64 + __builtin_ctzll(mask), ordinal = lead->ordinals[i];
      if (i >= size) break;
      if (ordinal < start || ordinal >= end) continue;
      if (ordinal / WINDOW != window) {
        window = ordinal / WINDOW;
        const i32 less = blockMost - bound(lead->windowImpacts[window], lead->weight, lead->step);
        windowBound = v->bounds[window] + (less < 0 ? less : 0);
      }
      candidates[count] = ordinal;
      most[count] = windowBound;
      placeOf[0][count] = block * BLOCK + i;
      count += windowBound >= needed;
    }
  if (v->days) {
    u32 kept = 0;
    for (u32 t = 0; t < count; t++) {
      const int isIn = v->days[candidates[t]] - v->dayFrom < v->daySpan;
      keep(kept, t, 1, most[t]);
      kept += isIn;
    }
    count = kept;
  }
  return (v->flags & FILLS) && lead->density >= CONDITION_DENSITY ? keepAdmitted(v, view, count) : count;
}

// Finds the candidates [from, to) in a block by marking them and testing which postings are marked. Keeps those found from place
// `kept` on; returns the number kept in all.
static u32 findMarked(Cursor *c, u32 list, u32 block, u32 from, u32 to, u32 kept) {
  const u32 first = candidates[from], last = candidates[to - 1], size = sizeOf(c, block);
  static u8 found[BLOCK + 1], number[BLOCK + 1];
  decode(c, block);
  const u32 begin = c->ordinals[0] >= first ? 0 : lowerBound(c->ordinals, first);
  u32 stop = c->list->last[block] <= last ? BLOCK : lowerBound(c->ordinals, last + 1);
  if (stop > size) stop = size;
  for (u32 t = from; t < to; t++) marks[candidates[t] - first] = t + 1;
  u32 count = 0;
  for (u32 i = begin; i < stop; i++) {
    const u32 mark = marks[c->ordinals[i] - first];
    found[count] = i;
    number[count] = mark - 1;
    count += mark != 0;
  }
  for (u32 t = from; t < to; t++) marks[candidates[t] - first] = 0;
  for (u32 f = 0; f < count; f++) { // number[f] >= kept: nothing is overwritten before it is read
    keep(kept, number[f], list, most[number[f]]);
    placeOf[list][kept++] = block * BLOCK + found[f];
  }
  return kept;
}

// Finds the candidates in a list. Drops those whose bound gets too low, and, if the list is required, those that it lacks.
// Moves their indexes in the first `lists` lists. Returns the number that is left.
static u32 intersect(u32 list, u32 lists, u32 count, i32 needed, const int isRequired) {
  Cursor *c = &cursors[list];
  u32 kept = 0, block = c->block, from = 0;
  u32 known = 0;      // the first ordinal behind the current block
  i32 blockMost = 0;  // bound of that block
  u32 window = NONE;
  i32 windowMost = 0; // bound of that window
  for (u32 t = 0; t < count; t++) {
    const u32 ordinal = candidates[t];
    if (ordinal >= known) {
      block = blockFrom(c, block, ordinal);
      if (block >= c->blocks) {
        if (isRequired) break;
        known = ~0u;
        blockMost = 0;
      } else {
        known = c->list->last[block] + 1;
        blockMost = bound(c->impacts[block], c->weight, c->step);
      }
      from = 0;
      if (isRequired && t + MANY < count && candidates[t + MANY] < known && candidates[count - 1] - ordinal < MARKED_SPAN) {
        u32 to = t;
        i32 highest = 0;
        for (; to < count && candidates[to] < known; to++)
          if (most[to] > highest) highest = most[to];
        if (ordinal / WINDOW == candidates[to - 1] / WINDOW) {
          const i32 less = blockMost - bound(c->windowImpacts[ordinal / WINDOW], c->weight, c->step);
          if (less < 0) highest += less;
        }
        if (highest >= needed) kept = findMarked(c, list, block, t, to, kept);
        t = to - 1;
        continue;
      }
    }
    if (ordinal / WINDOW != window) {
      window = ordinal / WINDOW;
      windowMost = window < c->windows ? bound(c->windowImpacts[window], c->weight, c->step) : 0;
    }
    const i32 nearer = most[t] + (blockMost < windowMost ? blockMost - windowMost : 0);
    if (nearer < needed) continue;
    u32 at = NONE;
    if (block < c->blocks && (isRequired || blockMost > 0)) {
      decode(c, block);
      at = find(c, ordinal, &from);
    }
    if (at == NONE && isRequired) continue;
    // What is looked up last is exact: without the posting, with its contribution added by the caller.
    const i32 rest = isRequired ? nearer : most[t] - windowMost;
    keep(kept, t, lists, rest);
    placeOf[list][kept++] = at == NONE ? NONE : block * BLOCK + at;
  }
  c->block = block < c->blocks ? block : c->blocks - 1;
  return kept;
}

// Adds the contributions of a list to the bounds of the candidates that it contains.
static void addContributions(u32 list, u32 count, const View *v) {
  Cursor *c = &cursors[list];
  if (!(c->weight > 0)) return;
  const u32 *places = placeOf[list];
  const int areFound = places[0] != NONE && places[count - 1] != NONE;
  const int areSimilar = count >= 6 && areFound && places[count - 1] - places[0] + BLOCK < count * SIMILAR;
  for (u32 t = 0; t < count; t++) {
    if (places[t] == NONE) frequencies[t] = 0;
    else if (areSimilar) {
      decodeFrequencies(c, places[t] / BLOCK);
      frequencies[t] = c->frequencies[places[t] % BLOCK];
    } else frequencies[t] = frequencyAt(c->list, places[t]);
  }
  contributions(0, count, candidates, frequencies, c->weight, v);
  for (u32 t = 0; t < count; t++)
    if (places[t] != NONE) most[t] += contributed[t];
}

// Upper bound, in a window, of what the free lists add.
INLINE i32 freeMost(u32 required, u32 lists, u32 window) {
  i32 sum = 0;
  for (u32 l = required; l < lists; l++) {
    const Cursor *c = &cursors[l];
    if (window < c->windows) sum += bound(c->windowImpacts[window], c->weight, c->step);
  }
  return sum;
}

static void scoreBlock(const View *v, u32 view, u32 required, u32 block, u32 start, u32 end) {
  const i32 needed = scoreNeeded();
  const u32 lists = v->count;
  u32 count = takeBlock(v, view, block, start, end, needed);
  for (u32 l = 1; l < required && count > 0; l++) {
    count = intersect(l, l, count, needed, 1);
    for (u32 a = 0; a < v->adjacentCount; a++) {
      if (v->adjacents[a].use != l) continue;
      u32 kept = 0;
      for (u32 t = 0; t < count; t++)
        if (mayFollowAt(&cursors[l], placeOf[l][t], &v->adjacents[a])) keep(kept++, t, l + 1, most[t]);
      count = kept;
    }
  }
  if (count == 0) return;
  // From here on the bound of a candidate is its score in the required lists and what the others may add.
  i32 highestBoost = 0, rest = 0;
  u32 window = NONE;
  for (u32 t = 0; t < count; t++) {
    if (candidates[t] / WINDOW != window) {
      window = candidates[t] / WINDOW;
      const i32 boost = (v->flags & BOOSTS) ? maxBoost(view, window) : 0;
      if (boost > highestBoost) highestBoost = boost;
      rest = freeMost(required, lists, window);
    }
    most[t] = rest;
  }
  for (u32 l = 0; l < required; l++) addContributions(l, count, v);
  const int areTested = v->flags & TESTS || v->wordCount > 0;
  for (u32 l = required; l < lists && count > 0; l++) {
    count = intersect(l, areTested ? required : 0, count, needed - highestBoost, 0);
    addContributions(l, count, v);
  }
  for (u32 t = count; t-- > 0;) {
    if (areTested)
      for (u32 l = 0; l < required; l++) tested[l] = placeOf[l][t];
    offer(v, (Hit){most[t], view, candidates[t]}, highestBoost);
  }
}

// Scores the captures in [start, end).
static void scoreRequired(const View *v, u32 view, u32 required, u32 start, u32 end) {
  const Cursor *lead = &cursors[0];
  filledWindow = NONE;
  for (u32 block = blockFrom(lead, 0, start); block < lead->blocks; block++) {
    u32 from = block ? lead->list->last[block - 1] + 1 : 0, to = lead->list->last[block] + 1;
    if (from >= end) return;
    if (from < start) from = start;
    if (to > end) to = end;
    const u32 first = from / WINDOW, last = (to - 1) / WINDOW;
    i32 highest = -1;
    for (u32 window = first; window <= last; window++)
      if (v->bounds[window] > highest) highest = v->bounds[window];
    if (first == last) {
      const i32 less = bound(lead->impacts[block], lead->weight, lead->step) - bound(lead->windowImpacts[first], lead->weight, lead->step);
      if (less < 0) highest += less;
    }
    if (highest >= 0 && mayEnter(highest, view, to)) scoreBlock(v, view, required, block, start, end);
  }
}
