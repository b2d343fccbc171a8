// Blocks of 128 integers, bit-packed in four lanes: value i is in lane i % 4, so that 16 bytes hold the same bits of 4 successive
// values (Lemire and Boytsov, "Decoding billions of integers per second through vectorization", 2015).
#pragma once
#include "layout.h"

typedef u32 v4 __attribute__((vector_size(16), aligned(4)));

// Called with a constant width, this becomes straight code.
INLINE v4 lanesAt(const v4 *words, u32 width, u32 row) {
  const u32 bit = row * width, word = bit >> 5, shift = bit & 31;
  const u32 mask = width == 32 ? ~0u : (1u << width) - 1;
  v4 value = words[word] >> shift;
  if (shift + width > 32) value |= words[word + 1] << (32 - shift);
  return value & mask;
}

INLINE void unpackWidth(const u32 *source, u32 width, u32 *out) {
#pragma clang loop unroll(full)
  for (u32 row = 0; row < BLOCK / 4; row++) ((v4 *)out)[row] = lanesAt((const v4 *)source, width, row);
}

// Values are gaps less 1; `before` is the ordinal before the first. Four gaps are added up in two steps.
INLINE void unpackOrdinalsOfWidth(const u32 *source, u32 width, u32 before, u32 *out) {
  const v4 one = {1, 2, 3, 4}, zero = {0, 0, 0, 0};
  v4 carry = {before, before, before, before};
#pragma clang loop unroll(full)
  for (u32 row = 0; row < BLOCK / 4; row++) {
    v4 value = lanesAt((const v4 *)source, width, row);
    value += __builtin_shufflevector(value, zero, 4, 0, 1, 2);
    value += __builtin_shufflevector(value, zero, 4, 5, 0, 1);
    value += carry + one;
    ((v4 *)out)[row] = value;
    carry = __builtin_shufflevector(value, value, 3, 3, 3, 3);
  }
}

// Wider ones do not occur in segments of fewer than four million captures.
#define EACH_WIDTH(M) \
  M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16) M(17) M(18) M(19) M(20) M(21) M(22)

static __attribute__((noinline)) void unpack(const u32 *source, u32 width, u32 *out) {
  switch (width) {
  case 0:
    for (u32 i = 0; i < BLOCK; i++) out[i] = 0;
    return;
#define CASE(W) case W: unpackWidth(source, W, out); return;
    EACH_WIDTH(CASE)
#undef CASE
  }
#pragma clang loop unroll(disable)
  for (u32 row = 0; row < BLOCK / 4; row++) ((v4 *)out)[row] = lanesAt((const v4 *)source, width, row);
}

static __attribute__((noinline)) void unpackOrdinals(const u32 *source, u32 width, u32 before, u32 *out) {
  switch (width) {
  case 0:
    for (u32 i = 0; i < BLOCK; i++) out[i] = before + 1 + i;
    return;
#define CASE(W) case W: unpackOrdinalsOfWidth(source, W, before, out); return;
    EACH_WIDTH(CASE)
#undef CASE
  }
  unpack(source, width, out);
  for (u32 i = 0; i < BLOCK; i++) {
    const u32 after = before + 1 + out[i];
    if (after <= before && (i > 0 || before != ~0u)) damaged();
    out[i] = before = after;
  }
}

INLINE u32 unpackOne(const u32 *source, u32 width, u32 index) {
  if (width == 0) return 0;
  const u32 bit = (index >> 2) * width, word = (bit >> 5) * 4 + (index & 3), shift = bit & 31;
  u32 value = source[word] >> shift;
  if (shift + width > 32) value |= source[word + 4] << (32 - shift);
  return width == 32 ? value : value & ((1u << width) - 1);
}
