// Compares a vector with many rows of signed bytes. The memory is shared by threads, so this kernel has no variables and no stack.
#include <wasm_simd128.h>

typedef signed char i8;
typedef short i16;
typedef unsigned int u32;
typedef int i32;

#define INLINE static inline __attribute__((always_inline))
/** Rows that are multiplied at once: the query is loaded once for all of them. */
#define TILE 4
/** `UNITS` in similarities.ts. */
#define UNITS 65536.0

/** What a call adds up: the scores, their squares, and the number of rows. */
typedef struct {
  double sum;
  double squares;
  double compared;
} Totals;

INLINE i32 sumOf(v128_t v) {
  return wasm_i32x4_extract_lane(v, 0) + wasm_i32x4_extract_lane(v, 1) + wasm_i32x4_extract_lane(v, 2) + wasm_i32x4_extract_lane(v, 3);
}

/** The inner products of `query` and four rows. */
INLINE v128_t products(const i8 *row, u32 dimensions, const i16 *query) {
  v128_t sums[TILE];
  const u32 whole = dimensions & ~7u;
  _Pragma("clang loop unroll(full)") for (u32 r = 0; r < TILE; r++) sums[r] = wasm_i32x4_splat(0);
  for (u32 j = 0; j < whole; j += 8) {
    const v128_t q = wasm_v128_load(query + j);
    _Pragma("clang loop unroll(full)") for (u32 r = 0; r < TILE; r++)
      sums[r] = wasm_i32x4_add(sums[r], wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(row + r * dimensions + j), q));
  }
  i32 rest[TILE];
  _Pragma("clang loop unroll(full)") for (u32 r = 0; r < TILE; r++) {
    rest[r] = sumOf(sums[r]);
    for (u32 j = whole; j < dimensions; j++) rest[r] += row[r * dimensions + j] * query[j];
  }
  return wasm_i32x4_make(rest[0], rest[1], rest[2], rest[3]);
}

/** `Math.round(product * inverse * inverses[i] * UNITS)` of two products, with the operations of JavaScript in its order. */
INLINE v128_t rounded(v128_t products, v128_t inverse, v128_t inverses) {
  const v128_t cosine = wasm_f64x2_mul(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(products), inverse), inverses);
  const v128_t score = wasm_f64x2_mul(cosine, wasm_f64x2_splat(UNITS));
  // Halves are rounded up. Adding a half first would round the number just below a half up as well.
  const v128_t up = wasm_f64x2_ceil(score);
  const v128_t isTooHigh = wasm_f64x2_gt(wasm_f64x2_sub(up, wasm_f64x2_splat(0.5)), score);
  return wasm_i32x4_trunc_sat_f64x2_zero(wasm_f64x2_sub(up, wasm_v128_and(isTooHigh, wasm_f64x2_splat(1.0))));
}

/**
 * Writes the scores of the rows whose `places` are not 0, and adds them up. Other rows may get any score. `dimensions` is at most 8,192, so
 * that no product exceeds 32 bits. `count` is a multiple of 4 and at most 4,096, so that the sums are exact.
 */
__attribute__((export_name("scan")))
void scan(const i8 *rows, u32 count, u32 dimensions, const i16 *query, double inverse, const double *inverses, const i32 *places, i32 *out, Totals *totals) {
  const v128_t zero = wasm_i32x4_splat(0);
  const v128_t inverseOfQuery = wasm_f64x2_splat(inverse);
  v128_t sum = zero;
  v128_t squares = zero;
  u32 compared = 0;
  for (u32 i = 0; i < count; i += TILE, rows += TILE * dimensions) {
    const v128_t isIn = wasm_i32x4_ne(wasm_v128_load(places + i), zero);
    if (!wasm_v128_any_true(isIn)) continue;
    compared += (u32)__builtin_popcount(wasm_i32x4_bitmask(isIn));
    const v128_t inner = products(rows, dimensions, query);
    const v128_t low = rounded(inner, inverseOfQuery, wasm_v128_load(inverses + i));
    const v128_t high = rounded(wasm_i64x2_shuffle(inner, zero, 1, 2), inverseOfQuery, wasm_v128_load(inverses + i + 2));
    const v128_t scores = wasm_v128_and(wasm_i64x2_shuffle(low, high, 0, 2), isIn);
    sum = wasm_i64x2_add(sum, wasm_i64x2_add(wasm_i64x2_extend_low_i32x4(scores), wasm_i64x2_extend_high_i32x4(scores)));
    squares = wasm_i64x2_add(squares, wasm_i64x2_add(wasm_i64x2_extmul_low_i32x4(scores, scores), wasm_i64x2_extmul_high_i32x4(scores, scores)));
    wasm_v128_store(out + i, scores);
  }
  totals->sum = (double)(wasm_i64x2_extract_lane(sum, 0) + wasm_i64x2_extract_lane(sum, 1));
  totals->squares = (double)(wasm_i64x2_extract_lane(squares, 0) + wasm_i64x2_extract_lane(squares, 1));
  totals->compared = compared;
}
