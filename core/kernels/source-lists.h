// Reads the postings and positions of a term in one segment, block by block. What cannot be a list is refused.
#pragma once
#include "layout.h"
#include <wasm_simd128.h>

typedef long long i64;

enum {
  MAX_SOURCES = 64,
  MAX_POSITIONS = 1 << 18,      // of one block of the merged list
  MAX_READ_POSITIONS = 1 << 26, // of one block of a source; 24 times as many bits fit 32 bits
  MAX_LOW_BITS = 24,
  READ_AT_ONCE = 56,
  ESCAPED_COUNT = 7, // see postings-tail.ts
};
#define OMITTED 0xffffffffu

typedef struct {
  u32 count;
  const u32 *mapping; // the new ordinal of each capture, or OMITTED; ascending
  u32 captures;
  const u8 *postings, *postingsEnd; // with at most INLINE_POSTINGS, as they are in the dictionary
  const u8 *positions, *positionsEnd;
} Source;
static Source sources[MAX_SOURCES];

static int refused;

// The positions of the open block of the merged list.
static u32 positions[MAX_POSITIONS], held;

INLINE u32 pad(u32 bytes) { return (bytes + 3) & ~3u; }
INLINE u32 bytesOfBits(u32 bits) { return (bits + 7) >> 3; }

// One source, at one of its postings that is not omitted.
typedef struct {
  const Source *source;
  u32 blocks, block; // all blocks, and the next one to open
  const u8 *gapWidths, *frequencyWidths, *packed;
  i64 before; // the last ordinal of the block before
  u32 size, at;
  u32 next; // the new ordinal of the posting
  const u8 *signatures;
  // The run of the block's positions.
  const u8 *run, *exceptions;
  u32 width, zeros, index; // of the next integer
  i64 exception;
  u32 rest;
  u32 ordinals[BLOCK], frequencies[BLOCK], counts[BLOCK];
  u8 inlineSignatures[INLINE_POSTINGS];
  const u8 *inlinePositions[INLINE_POSTINGS];
} Head;
static Head heads[MAX_SOURCES];

static u32 varint(const u8 **at, const u8 *end) {
  u64 value = 0;
  for (u32 shift = 0; shift < 35 && *at < end; shift += 7) {
    const u32 byte = *(*at)++;
    value |= (u64)(byte & 127) << shift;
    if (byte > 127) continue;
    if (value > ~0u) break;
    return value;
  }
  refused = 1;
  return 0;
}

INLINE u64 eightAt(const u8 *at) {
  u64 value;
  __builtin_memcpy(&value, at, 8);
  return value;
}

static void unpack(const u8 *source, u32 width, u32 *out) {
  if (width == 0) {
    __builtin_memset(out, 0, 4 * BLOCK);
    return;
  }
  const v128_t mask = wasm_i32x4_splat(width == 32 ? ~0u : (1u << width) - 1);
  v128_t word = wasm_v128_load(source);
  for (u32 i = 0, shift = 0;; i += 4) {
    v128_t value = wasm_u32x4_shr(word, shift);
    shift += width;
    if (shift >= 32) {
      shift -= 32;
      source += 16;
      // Behind the last word there is at least the slack of the input.
      word = wasm_v128_load(source);
      if (shift > 0) value = wasm_v128_or(value, wasm_i32x4_shl(word, width - shift));
    }
    wasm_v128_store(out + i, wasm_v128_and(value, mask));
    if (i == BLOCK - 4) return;
  }
}

static void readFullPostings(Head *h) {
  const Source *s = h->source;
  const u32 gapWidth = h->gapWidths[h->block], frequencyWidth = h->frequencyWidths[h->block];
  if (gapWidth > 32 || frequencyWidth > 32 || (u32)(s->postingsEnd - h->packed) < 16 * (gapWidth + frequencyWidth)) {
    refused = 1;
    return;
  }
  unpack(h->packed, gapWidth, h->ordinals);
  unpack(h->packed + 16 * gapWidth, frequencyWidth, h->frequencies);
  h->packed += 16 * (gapWidth + frequencyWidth);
  i64 ordinal = h->before;
  for (u32 i = 0; i < BLOCK; i++) {
    ordinal += (i64)h->ordinals[i] + 1;
    h->ordinals[i] = ordinal;
    if (++h->frequencies[i] == 0) refused = 1;
  }
  if (ordinal >= s->captures) refused = 1;
  h->before = ordinal;
}

static void readTailPostings(Head *h) {
  const Source *s = h->source;
  const u8 *at = h->packed, *end = s->postingsEnd;
  if (at >= end) {
    refused = 1;
    return;
  }
  const u32 lowBits = *at & 31;
  u32 frequent = *at++ >> 5;
  if (frequent == ESCAPED_COUNT) frequent += varint(&at, end);
  if (lowBits > MAX_LOW_BITS) refused = 1;
  if (refused) return;
  const u64 bits = 8ull * (end - at);
  u64 bit = 0;
  i64 ordinal = h->before;
  for (u32 i = 0; i < h->size; i++) {
    u64 quotient = 0;
    for (;;) {
      if (bit >= bits) {
        refused = 1;
        return;
      }
      // The bit that is added ends the count behind the bits that were read.
      const u32 ones = __builtin_ctzll(~(eightAt(at + (bit >> 3)) >> (bit & 7)) | 1ull << READ_AT_ONCE);
      quotient += ones;
      bit += ones;
      if (ones < READ_AT_ONCE) break;
    }
    bit++;
    const u32 low = eightAt(at + (bit >> 3)) >> (bit & 7) & ((1u << lowBits) - 1);
    bit += lowBits;
    ordinal += (i64)(quotient << lowBits | low) + 1;
    if (ordinal >= s->captures || bit > bits) {
      refused = 1;
      return;
    }
    h->ordinals[i] = ordinal;
    h->frequencies[i] = 1;
  }
  at += (bit + 7) >> 3;
  for (u64 i = ~0ull; frequent > 0; frequent--) {
    i += (u64)varint(&at, end) + 1;
    const u64 frequency = (u64)varint(&at, end) + 2;
    if (refused || i >= h->size || frequency > ~0u) {
      refused = 1;
      return;
    }
    h->frequencies[i] = frequency;
  }
}

INLINE u32 signaturesAt(u32 full) { return full * 4 + pad(full); }
INLINE u32 positionsHeader(u32 count) { return signaturesAt(count / BLOCK) + (count < BLOCK ? count : pad(count)); }

static void openPositions(Head *h, u32 block) {
  const Source *s = h->source;
  const u32 full = s->count / BLOCK, from = positionsHeader(s->count);
  const u8 *table = s->positions, *end = s->positionsEnd;
  u32 start = 0;
  if (block > 0) __builtin_memcpy(&start, table + 4 * (block - 1), 4);
  if (start > (u32)(end - table) - from) {
    refused = 1;
    return;
  }
  const u8 *at = table + from + start;
  u32 *counts = h->counts;
  if (h->size == BLOCK) {
    const u32 width = table[4 * full + block];
    if ((from + start) % 4 != 0 || width > MAX_COUNT_BITS || (u32)(end - at) < 16 * width) {
      refused = 1;
      return;
    }
    unpack(at, width, counts);
    at += 16 * width;
    const u32 top = (1u << width) - 1;
    if (width > 0)
      for (u32 i = 0; i < BLOCK; i++)
        if (counts[i] == top) {
          const u32 more = varint(&at, end);
          if (more > MAX_READ_POSITIONS) refused = 1;
          counts[i] = top + more;
        }
  } else {
    for (u32 i = 0; i < h->size; i++) counts[i] = 1;
    u64 i = ~0ull;
    for (u32 others = varint(&at, end); others > 0 && !refused; others--) {
      i += (u64)varint(&at, end) + 1;
      const u32 count = varint(&at, end);
      if (i >= h->size || count > MAX_READ_POSITIONS) refused = 1;
      else counts[i] = count;
    }
  }
  if (refused) return;
  u64 total = 0;
  for (u32 i = 0; i < h->size; i++) total += counts[i];
  h->signatures = table + signaturesAt(full) + block * BLOCK;
  h->index = 0;
  h->exception = -1;
  if (total == 0) return;
  h->width = at < end ? *at & ~WITHOUT_ZEROS : 0;
  if (total > MAX_READ_POSITIONS || h->width == 0 || h->width > MAX_RUN_BITS) {
    refused = 1;
    return;
  }
  h->zeros = *at++ & WITHOUT_ZEROS ? ZERO_BITS : 0;
  const u32 packed = bytesOfBits((u32)total * h->width);
  if (packed > (u32)(end - at)) refused = 1;
  h->run = at;
  h->exceptions = at + packed;
}

static void readInline(Head *h) {
  const Source *s = h->source;
  const u8 *at = s->postings, *end = s->postingsEnd;
  i64 ordinal = -1;
  for (u32 i = 0; i < h->size && !refused; i++) {
    const u32 code = varint(&at, end);
    ordinal += (i64)(code >> 1) + 1;
    const u32 frequency = code & 1 ? varint(&at, end) + 1 : 1;
    u32 length = code & 1 ? varint(&at, end) : 2;
    if (refused || ordinal >= s->captures || frequency == 0 || length == 1 || length > (u32)(end - at)) {
      refused = 1;
      return;
    }
    h->ordinals[i] = ordinal;
    h->frequencies[i] = frequency;
    h->counts[i] = 0;
    if (length == 0) continue;
    h->inlineSignatures[i] = *at;
    h->inlinePositions[i] = at + 1;
    if (code & 1) {
      for (u32 byte = 1; byte < length; byte++) h->counts[i] += at[byte] < 128;
      if (at[length - 1] > 127) refused = 1;
      at += length;
    } else {
      at++;
      varint(&at, end);
      h->counts[i] = 1;
    }
  }
  h->signatures = h->inlineSignatures;
}

// Reads the positions of the posting of a head behind those of the open block.
static void readPositions(Head *h, u32 count) {
  u32 *out = positions + held;
  if (count > MAX_POSITIONS - held) {
    refused = 1;
    return;
  }
  if (h->source->count <= INLINE_POSTINGS) {
    const u8 *at = h->inlinePositions[h->at];
    for (u32 i = 0; i < count; i++) {
      out[i] = varint(&at, h->source->postingsEnd);
      if (out[i] == ~0u) refused = 1;
    }
    return;
  }
  const u32 width = h->width, top = (1u << width) - 1;
  u32 bit = h->index * width;
  for (u32 i = 0; i < count; i++, bit += width) {
    u32 value;
    __builtin_memcpy(&value, h->run + (bit >> 3), 4);
    value = value >> (bit & 7) & top;
    if (value == top) {
      const u32 index = h->index + i;
      while (h->exception < index && !refused) {
        h->exception += (i64)varint(&h->exceptions, h->source->positionsEnd) + 1;
        h->rest = varint(&h->exceptions, h->source->positionsEnd);
      }
      if (h->exception != index || h->rest >= ~0u - top) {
        refused = 1;
        return;
      }
      value += h->rest;
    }
    out[i] = value << h->zeros;
  }
}

// Moves to the first posting from the present one on that is not omitted. Returns 0 at the end.
static int settle(Head *h) {
  const Source *s = h->source;
  for (;; h->index += h->counts[h->at++]) {
    if (refused) return 0;
    if (h->at == h->size) {
      if (h->block == h->blocks) return 0;
      const u32 left = s->count - h->block * BLOCK;
      h->size = left < BLOCK ? left : BLOCK;
      h->at = 0;
      if (s->count <= INLINE_POSTINGS) readInline(h);
      else {
        if (h->size == BLOCK) readFullPostings(h);
        else readTailPostings(h);
        if (!refused) openPositions(h, h->block);
      }
      if (refused) return 0;
      h->block++;
    }
    h->next = s->mapping[h->ordinals[h->at]];
    if (h->next != OMITTED) return 1;
    if (h->counts[h->at] > 0) readPositions(h, h->counts[h->at]); // so that damage is found here, too
  }
}

static int openHead(Head *h, const Source *s) {
  const u32 full = s->count / BLOCK;
  h->source = s;
  h->blocks = (s->count + BLOCK - 1) / BLOCK;
  h->block = h->size = h->at = h->index = 0;
  h->before = -1;
  if (s->count > INLINE_POSTINGS) {
    const u32 gapWidths = full > 0 ? full * 4 + pad(h->blocks) : 1;
    h->gapWidths = s->postings + gapWidths;
    h->frequencyWidths = h->gapWidths + pad(full);
    h->packed = h->frequencyWidths + pad(full);
    if (h->packed > s->postingsEnd || positionsHeader(s->count) > (u32)(s->positionsEnd - s->positions)) refused = 1;
  }
  return !refused && settle(h);
}
