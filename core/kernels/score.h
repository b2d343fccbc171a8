// Scores by BM25F: contribution.ts computes the same. Doubles follow IEEE 754 in both, so scores are equal bit for bit.
#pragma once
#include "layout.h"
#include <wasm_simd128.h>

INLINE i32 contribution(f64 weight, f64 frequency, f64 slope, f64 length) {
  return (i32)((weight * frequency) / (frequency + SATURATION_BASE + slope * length) + 1.0);
}

// Upper bound of the contributions of postings with at most this impact; 0 without any.
INLINE i32 bound(u32 impact, f64 weight, f64 step) {
  if (!impact) return 0;
  const f64 most = impact * step;
  return (i32)(most < weight ? most : weight) + 3;
}

INLINE u32 lengthOf(const View *v, u32 ordinal) {
  return v->areWide ? ((const u32 *)v->lengths)[ordinal] : ((const u16 *)v->lengths)[ordinal];
}

static i32 contributed[BLOCK] __attribute__((aligned(16)));

// Two contributions at a time. The sums are below 2^31: after adding 2^52 the low words of the doubles hold their integers, which
// takes half the time of a saturating conversion.
INLINE v128_t contributionsOf2(v128_t less1, v128_t lengths, v128_t weight, v128_t slope) {
  const v128_t one = wasm_f64x2_splat(1.0), base = wasm_f64x2_splat(1.0 + SATURATION_BASE);
  const v128_t f = wasm_f64x2_convert_low_i32x4(less1), n = wasm_f64x2_convert_low_i32x4(lengths);
  const v128_t over = wasm_f64x2_mul(weight, wasm_f64x2_add(f, one));
  const v128_t under = wasm_f64x2_add(wasm_f64x2_add(f, base), wasm_f64x2_mul(slope, n));
  return wasm_f64x2_add(wasm_f64x2_floor(wasm_f64x2_add(wasm_f64x2_div(over, under), one)), wasm_f64x2_splat(4503599627370496.0));
}

INLINE void contributionsWith(u32 from, u32 to, const u32 *ordinals, const u32 *frequencies, f64 weight, const View *v, const int areWide) {
  const u16 *narrow = v->lengths;
  const u32 *wide = v->lengths;
#define LENGTH(i) (areWide ? wide[ordinals[i]] : narrow[ordinals[i]])
  const v128_t w = wasm_f64x2_splat(weight), s = wasm_f64x2_splat(v->slope);
  u32 i = from;
  for (; i + 4 <= to; i += 4) {
    const v128_t f = wasm_v128_load(frequencies + i);
    const v128_t n = wasm_i32x4_make(LENGTH(i), LENGTH(i + 1), LENGTH(i + 2), LENGTH(i + 3));
    const v128_t low = contributionsOf2(f, n, w, s);
    const v128_t high = contributionsOf2(wasm_i32x4_shuffle(f, f, 2, 3, 2, 3), wasm_i32x4_shuffle(n, n, 2, 3, 2, 3), w, s);
    wasm_v128_store(contributed + i, wasm_i32x4_shuffle(low, high, 0, 2, 4, 6));
  }
  for (; i < to; i++) contributed[i] = contribution(weight, (f64)frequencies[i] + 1.0, v->slope, (f64)LENGTH(i));
#undef LENGTH
}

// Computes `contributed[from, to)` of the postings with these ordinals and frequencies, each less 1.
static __attribute__((noinline)) void contributions(u32 from, u32 to, const u32 *ordinals, const u32 *frequencies, f64 weight, const View *v) {
  if (v->areWide) contributionsWith(from, to, ordinals, frequencies, weight, v, 1);
  else contributionsWith(from, to, ordinals, frequencies, weight, v, 0);
}
