// Writes the postings and positions of a term, block by block: encodePostings (postings-codec.ts) and encodePositions (positions-codec.ts).
#pragma once
#include "source-lists.h"

#define TAIL_BYTES 2048 // more than the postings of any tail take

// From this mean gap on, Rice codes have k low bits: lowThresholds[k - 1].
static f64 lowThresholds[MAX_LOW_BITS];

static u32 ordinals[BLOCK], frequencies[BLOCK], counts[BLOCK];
static u32 filled;       // postings of the open block
static u32 written;      // full blocks
static i64 blockBefore;  // the last ordinal of the block before
static i64 lastOrdinal;
static u8 *postingsOut, *positionsOut, *positionsStart, *positionsLimit, *signaturesOut;
static u8 *lasts, *impacts, *gapWidths, *frequencyWidths, *ends, *countWidths; // of the full blocks

INLINE u8 *putVarint(u8 *out, u32 value) {
  for (; value > 127; value >>= 7) *out++ = value | 128;
  *out++ = value;
  return out;
}

INLINE u8 *align(u8 *out, const u8 *start) {
  while ((out - start) & 3) *out++ = 0;
  return out;
}

static u32 widthOf(const u32 *values) {
  v128_t all = wasm_v128_load(values);
  for (u32 i = 4; i < BLOCK; i += 4) all = wasm_v128_or(all, wasm_v128_load(values + i));
  const u32 bits = wasm_u32x4_extract_lane(all, 0) | wasm_u32x4_extract_lane(all, 1) | wasm_u32x4_extract_lane(all, 2) |
                   wasm_u32x4_extract_lane(all, 3);
  return bits ? 32 - __builtin_clz(bits) : 0;
}

// Packs values of at most `width` bits.
static u8 *pack(const u32 *values, u32 width, u8 *out) {
  v128_t word = wasm_i32x4_splat(0);
  u32 bits = 0;
  if (width > 0)
    for (u32 i = 0; i < BLOCK; i += 4) {
      const v128_t value = wasm_v128_load(values + i);
      word = wasm_v128_or(word, wasm_i32x4_shl(value, bits));
      bits += width;
      if (bits < 32) continue;
      wasm_v128_store(out, word);
      out += 16;
      bits -= 32;
      word = bits > 0 ? wasm_u32x4_shr(value, width - bits) : wasm_i32x4_splat(0);
    }
  return out;
}

// See cheapest-width.ts: in bits, which are exact. Escaped counts take one or two bytes, exceptions of runs two or three.
static u32 cheapestWidth(const u32 *values, u32 count, u32 most, int isRun) {
  u32 exceptions[32] = {0};
  for (u32 i = 0; i < count; i++) {
    const u32 width = 31 - __builtin_clz(values[i] + 1);
    exceptions[width < most ? width : most]++;
  }
  u32 best = most;
  u64 least = ~0ull, above = 0, longer = 0;
  for (u32 width = most; width > 0; width--) {
    above += exceptions[width];
    if (width >= 7) longer = above;
    const u64 extra = isRun ? above * (width < 8 ? 2 : 3) : above + (width < 8 ? longer : 0);
    const u64 bits = (u64)count * width + 8 * extra;
    if (bits >= least) continue;
    best = width;
    least = bits;
  }
  return best;
}

static u8 *writeRun(u8 *out) {
  if (held == 0) return out;
  u32 all = 0;
  for (u32 i = 0; i < held; i++) all |= positions[i];
  const u32 zeros = all & ((1 << ZERO_BITS) - 1) ? 0 : ZERO_BITS;
  if (zeros > 0)
    for (u32 i = 0; i < held; i++) positions[i] >>= zeros;
  const u32 width = cheapestWidth(positions, held, MAX_RUN_BITS, 1), top = (1u << width) - 1;
  *out++ = zeros > 0 ? width | WITHOUT_ZEROS : width;
  u64 word = 0;
  u32 bits = 0, exceptions = 0;
  for (u32 i = 0; i < held; i++) {
    const u32 value = positions[i] < top ? positions[i] : top;
    exceptions += value == top;
    word |= (u64)value << bits;
    bits += width;
    if (bits < 32) continue;
    __builtin_memcpy(out, &word, 4);
    out += 4;
    word >>= 32;
    bits -= 32;
  }
  __builtin_memcpy(out, &word, 4);
  out += bytesOfBits(bits);
  for (u32 i = 0, next = 0; exceptions > 0; i++) {
    if (positions[i] < top) continue;
    out = putVarint(out, i - next);
    out = putVarint(out, positions[i] - top);
    next = i + 1;
    exceptions--;
  }
  return out;
}

static u32 writeCounts(u8 **out) {
  static u32 codes[BLOCK];
  if (widthOf(counts) == 0) return 0;
  const u32 width = cheapestWidth(counts, BLOCK, MAX_COUNT_BITS, 0), top = (1u << width) - 1;
  for (u32 i = 0; i < BLOCK; i++) codes[i] = counts[i] < top ? counts[i] : top;
  u8 *at = pack(codes, width, *out);
  for (u32 i = 0; i < BLOCK; i++)
    if (codes[i] == top) at = putVarint(at, counts[i] - top);
  *out = at;
  return width;
}

INLINE u8 quantized(f64 saturated) {
  const f64 impact = __builtin_ceil(saturated * IMPACT_STEPS);
  return impact < IMPACT_STEPS ? (u8)impact : IMPACT_STEPS;
}

// Returns the impact of the open block, and raises those of the windows unless there are none.
static u8 impactOfBlock(u8 *windows, const u32 *lengths, f64 slope) {
  static f64 saturated[BLOCK];
  for (u32 i = 0; i < filled; i++) {
    const f64 frequency = frequencies[i];
    saturated[i] = frequency / (frequency + SATURATION_BASE + slope * (f64)lengths[ordinals[i]]);
  }
  u8 highest = 0;
  for (u32 i = 0; i < filled;) {
    const u32 window = ordinals[i] / WINDOW;
    f64 most = 0;
    for (; i < filled && ordinals[i] / WINDOW == window; i++) most = saturated[i] > most ? saturated[i] : most;
    const u8 impact = quantized(most);
    if (windows && impact > windows[window]) windows[window] = impact;
    if (impact > highest) highest = impact;
  }
  return highest;
}

static void writeFullBlock(u8 *windows, const u32 *lengths, f64 slope) {
  if ((u64)(positionsLimit - positionsOut) < TAIL_BYTES + 13ull * held) {
    refused = 1;
    return;
  }
  impacts[written] = impactOfBlock(windows, lengths, slope);
  __builtin_memcpy(lasts + 4 * written, &ordinals[BLOCK - 1], 4);
  static u32 gaps[BLOCK];
  u32 previous = blockBefore;
  for (u32 i = 0; i < BLOCK; i++) {
    gaps[i] = ordinals[i] - previous - 1;
    previous = ordinals[i];
    frequencies[i]--;
  }
  blockBefore = previous;
  gapWidths[written] = widthOf(gaps);
  frequencyWidths[written] = widthOf(frequencies);
  postingsOut = pack(gaps, gapWidths[written], postingsOut);
  postingsOut = pack(frequencies, frequencyWidths[written], postingsOut);
  countWidths[written] = writeCounts(&positionsOut);
  positionsOut = align(writeRun(positionsOut), positionsStart);
  const u32 end = positionsOut - positionsStart;
  __builtin_memcpy(ends + 4 * written, &end, 4);
  written++;
  filled = held = 0;
}

static void writeTail(void) {
  u8 *out = postingsOut;
  u32 frequent = 0, lowBits = 0;
  for (u32 i = 0; i < filled; i++) frequent += frequencies[i] > 1;
  const f64 mean = (f64)(lastOrdinal - blockBefore) / filled;
  while (lowBits < MAX_LOW_BITS && mean >= lowThresholds[lowBits]) lowBits++;
  *out++ = (frequent < ESCAPED_COUNT ? frequent : ESCAPED_COUNT) << 5 | lowBits;
  if (frequent >= ESCAPED_COUNT) out = putVarint(out, frequent - ESCAPED_COUNT);
  u64 word = 0;
  u32 bits = 0;
  i64 previous = blockBefore;
  for (u32 i = 0; i < filled; i++) {
    const u32 gap = ordinals[i] - previous - 1;
    previous = ordinals[i];
    for (u32 quotient = gap >> lowBits; quotient > 0;) {
      const u32 ones = quotient < 24 ? quotient : 24;
      word |= (u64)((1u << ones) - 1) << bits;
      quotient -= ones;
      for (bits += ones; bits >= 8; bits -= 8, word >>= 8) *out++ = word;
    }
    bits++;
    word |= (u64)(gap & ((1u << lowBits) - 1)) << bits;
    for (bits += lowBits; bits >= 8; bits -= 8, word >>= 8) *out++ = word;
  }
  if (bits > 0) *out++ = word;
  for (u32 i = 0, next = 0; i < filled; i++) {
    if (frequencies[i] == 1) continue;
    out = putVarint(out, i - next);
    out = putVarint(out, frequencies[i] - 2);
    next = i + 1;
  }
  postingsOut = out;

  out = positionsOut;
  u32 others = 0;
  for (u32 i = 0; i < filled; i++) others += counts[i] != 1;
  out = putVarint(out, others);
  for (u32 i = 0, next = 0; i < filled; i++) {
    if (counts[i] == 1) continue;
    out = putVarint(out, i - next);
    out = putVarint(out, counts[i]);
    next = i + 1;
  }
  positionsOut = writeRun(out);
}

static u8 *put(u8 *out, const u8 *bytes, u32 count, u32 padded) {
  __builtin_memcpy(out, bytes, count);
  __builtin_memset(out + count, 0, padded - count);
  return out + padded;
}
