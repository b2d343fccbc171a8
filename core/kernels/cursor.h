// A cursor over a posting list. Blocks are visited in ascending order, so a cursor moves forward only.
#pragma once
#include "unpack.h"
#include <wasm_simd128.h>

#define NONE ~0u
#define PADDING 0x7fffffffu // an ordinal that no capture has
#define BETWEEN_CHECKS 1024 // blocks that are decoded between two checks of the search time: less than a millisecond

typedef struct {
  const List *list;
  const u8 *impacts, *windowImpacts;
  u32 blocks, windows;
  f64 weight, step;
  i32 most;    // upper bound of the contributions in the current window
  u32 density; // postings in a window, on average
  u32 block;   // the current block
  u32 decoded, decodedFrequencies; // the blocks in `ordinals` and `frequencies`, or NONE
  u32 next;    // first posting of the decoded block that may be in the current window
  u32 *ordinals;
  u32 *frequencies; // each less 1
} Cursor;

static u32 ordinalsOf[MAX_LISTS][BLOCK] __attribute__((aligned(16)));
static u32 frequenciesOf[MAX_LISTS][BLOCK] __attribute__((aligned(16)));
static u32 decodedBlocks;

#define PART(list, type, offset) ((const type *)((const u8 *)(list) + (list)->offset))

INLINE void openCursor(Cursor *c, const Use *use, u32 number, u32 captures) {
  const List *list = use->list;
  c->list = list;
  c->impacts = PART(list, u8, impacts);
  c->windowImpacts = PART(list, u8, windowImpacts);
  c->blocks = list->blocks;
  c->windows = list->windows;
  c->weight = use->weight;
  c->step = use->step;
  c->most = 0;
  c->density = (u32)((u64)list->count * WINDOW / captures);
  c->block = c->next = 0;
  c->decoded = c->decodedFrequencies = NONE;
  c->ordinals = ordinalsOf[number];
  c->frequencies = frequenciesOf[number];
}

INLINE u32 sizeOf(const Cursor *c, u32 block) { return block < c->list->full ? BLOCK : c->list->count - block * BLOCK; }
INLINE const u32 *wordsOf(const List *list, u32 block) { return list->last + PART(list, u32, offsets)[block]; }

// Decodes the ordinals of a block. A tail is filled up, so that every block looks full.
INLINE void decode(Cursor *c, u32 block) {
  if (c->decoded == block) return;
  const List *list = c->list;
  if (++decodedBlocks % BETWEEN_CHECKS == 0) checkTime();
  if (block < list->full) {
    unpackOrdinals(wordsOf(list, block), PART(list, u8, gapWidths)[block], block ? list->last[block - 1] : ~0u, c->ordinals);
    // Loops rely on this. With it, every ordinal of the block is between the last ones of two blocks.
    if (c->ordinals[BLOCK - 1] != list->last[block]) damaged();
  } else {
    const u32 size = sizeOf(c, block), *tail = PART(list, u32, tail);
    for (u32 i = 0; i < size; i++) c->ordinals[i] = tail[i];
    for (u32 i = size; i < BLOCK; i++) c->ordinals[i] = PADDING;
  }
  c->decoded = block;
  c->next = 0;
}

INLINE void decodeFrequencies(Cursor *c, u32 block) {
  if (c->decodedFrequencies == block) return;
  const List *list = c->list;
  if (block < list->full)
    unpack(wordsOf(list, block) + 4 * PART(list, u8, gapWidths)[block], PART(list, u8, frequencyWidths)[block], c->frequencies);
  else {
    const u32 size = sizeOf(c, block), *tail = PART(list, u32, tail) + size;
    for (u32 i = 0; i < size; i++) c->frequencies[i] = tail[i] - 1;
    for (u32 i = size; i < BLOCK; i++) c->frequencies[i] = 0;
  }
  c->decodedFrequencies = block;
}

// The frequency of one posting less 1, without decoding its block.
INLINE u32 frequencyAt(const List *list, u32 index) {
  const u32 block = index / BLOCK, at = index % BLOCK;
  if (block >= list->full) return PART(list, u32, tail)[list->count - list->full * BLOCK + at] - 1;
  return unpackOne(wordsOf(list, block) + 4 * PART(list, u8, gapWidths)[block], PART(list, u8, frequencyWidths)[block], at);
}

// The first block from `block` on whose last ordinal is at least `ordinal`: galloping.
INLINE u32 blockFrom(const Cursor *c, u32 block, u32 ordinal) {
  const u32 *last = c->list->last, blocks = c->blocks;
  if (block >= blocks || last[block] >= ordinal) return block;
  u32 step = 1;
  while (block + step < blocks && last[block + step] < ordinal) {
    block += step;
    step *= 2;
  }
  u32 high = block + step < blocks ? block + step : blocks;
  block++;
  while (block < high) {
    const u32 middle = (block + high) / 2;
    if (last[middle] < ordinal) block = middle + 1;
    else high = middle;
  }
  return block;
}

// The number of ordinals of a decoded block that are below `target`, at most 127; without a branch.
INLINE u32 lowerBound(const u32 *ordinals, u32 target) {
  u32 low = 0;
  low += (ordinals[low + 63] < target) * 64;
  low += (ordinals[low + 31] < target) * 32;
  low += (ordinals[low + 15] < target) * 16;
  low += (ordinals[low + 7] < target) * 8;
  low += (ordinals[low + 3] < target) * 4;
  low += (ordinals[low + 1] < target) * 2;
  low += (ordinals[low] < target);
  return low;
}

// One bit for each of the 16 results of four comparisons.
INLINE u32 bitsOf16(v128_t a, v128_t b, v128_t c, v128_t d) {
  return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(a, b), wasm_i16x8_narrow_i32x4(c, d)));
}
INLINE v128_t load(const void *p) { return wasm_v128_load(p); }
INLINE u32 equal16(const u32 *values, u32 target) {
  const v128_t t = wasm_i32x4_splat((i32)target);
  return bitsOf16(wasm_i32x4_eq(load(values), t), wasm_i32x4_eq(load(values + 4), t), wasm_i32x4_eq(load(values + 8), t), wasm_i32x4_eq(load(values + 12), t));
}

// The place of `target` in the decoded block, or NONE. `*from` is a multiple of 16, at or before that place; it moves forward.
INLINE u32 find(const Cursor *c, u32 target, u32 *from) {
  u32 at = *from;
  while (at < BLOCK - 16 && c->ordinals[at + 15] < target) at += 16;
  *from = at;
  const u32 found = equal16(c->ordinals + at, target);
  return found ? at + __builtin_ctz(found) : NONE;
}
