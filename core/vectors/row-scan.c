// Compares a vector with many rows of signed bytes. The memory is shared by threads, so this kernel has no variables and no stack.
#include <wasm_simd128.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")
/** Rows that are multiplied at once: the query is loaded once for all of them. */
#define TILE 4
/** `UNITS` in similarities.ts. */
#define UNITS 65536.0
/** Rows that have one maximum of their bounds. */
#define MAXIMUM_OF 256
/** The bound of a row that does not take part. No cosine is as low. */
#define NO_BOUND -2.0f

/** What a call of `scan` adds up: over the rows of the sample their number, the scores and their squares; and the number of all rows. */
typedef struct {
  double sampled;
  double sum;
  double squares;
  double compared;
} Totals;

/** What bounds need of a row. */
typedef struct {
  /** 1 / length. */
  float inverse;
  /** The lengths behind the head and behind the middle, as parts of the whole length times 65,535, rounded up. */
  u16 tail;
  u16 last;
} Lengths;

/** A row of a list, with its bound by the head. */
typedef struct {
  u32 row;
  float bound;
} Listed;

INLINE i32 sumOf(v128_t v) {
  return wasm_i32x4_extract_lane(v, 0) + wasm_i32x4_extract_lane(v, 1) + wasm_i32x4_extract_lane(v, 2) + wasm_i32x4_extract_lane(v, 3);
}

/** The sums of each of four vectors. */
INLINE v128_t fourSums(v128_t a, v128_t b, v128_t c, v128_t d) {
  const v128_t ab = wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 2, 6), wasm_i32x4_shuffle(a, b, 1, 5, 3, 7));
  const v128_t cd = wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 2, 6), wasm_i32x4_shuffle(c, d, 1, 5, 3, 7));
  return wasm_i32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
}

/** The inner products of one part of `query` and that of four rows. */
INLINE v128_t partProducts(const i8 *row, u32 width, const i16 *query) {
  v128_t sums[TILE];
  const u32 whole = width & ~7u;
  UNROLL for (u32 r = 0; r < TILE; r++) sums[r] = wasm_i32x4_splat(0);
  for (u32 j = 0; j < whole; j += 8) {
    const v128_t q = wasm_v128_load(query + j);
    UNROLL for (u32 r = 0; r < TILE; r++)
      sums[r] = wasm_i32x4_add(sums[r], wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(row + r * width + j), q));
  }
  const v128_t products = fourSums(sums[0], sums[1], sums[2], sums[3]);
  if (whole == width) return products;
  i32 left[TILE];
  UNROLL for (u32 r = 0; r < TILE; r++) {
    left[r] = 0;
    for (u32 j = whole; j < width; j++) left[r] += row[r * width + j] * query[j];
  }
  return wasm_i32x4_add(products, wasm_i32x4_make(left[0], left[1], left[2], left[3]));
}

/** The inner product of one part of `query` and that of a row. */
INLINE i32 partProduct(const i8 *row, u32 width, const i16 *query) {
  const u32 whole = width & ~7u;
  v128_t sum = wasm_i32x4_splat(0);
  for (u32 j = 0; j < whole; j += 8)
    sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(row + j), wasm_v128_load(query + j)));
  i32 product = sumOf(sum);
  for (u32 j = whole; j < width; j++) product += row[j] * query[j];
  return product;
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

INLINE v128_t sumOfPairs(v128_t scores) {
  return wasm_i64x2_add(wasm_i64x2_extend_low_i32x4(scores), wasm_i64x2_extend_high_i32x4(scores));
}

INLINE double total(v128_t sums) {
  return (double)(wasm_i64x2_extract_lane(sums, 0) + wasm_i64x2_extract_lane(sums, 1));
}

/**
 * Writes the scores of the rows whose `places` are not 0, and adds up those whose level is at least `level`. Other rows may get any score. The
 * dimensions are at most 8,192, so that no product exceeds 32 bits. `count` is a multiple of 4 and at most 4,096, so that the sums are exact.
 */
__attribute__((export_name("scan")))
void scan(const i8 *head, const i8 *middle, const i8 *rest, u32 headWidth, u32 middleWidth, u32 restWidth, u32 count, const i16 *query, double inverse, const double *inverses, const i32 *places, const u8 *levels, u32 level, i32 *out, Totals *totals) {
  const v128_t zero = wasm_i32x4_splat(0);
  const v128_t inverseOfQuery = wasm_f64x2_splat(inverse);
  const v128_t below = wasm_i32x4_splat((i32)level - 1);
  v128_t sum = zero;
  v128_t squares = zero;
  u32 sampled = 0;
  u32 compared = 0;
  for (u32 i = 0; i < count; i += TILE, head += TILE * headWidth, middle += TILE * middleWidth, rest += TILE * restWidth) {
    const v128_t isIn = wasm_i32x4_ne(wasm_v128_load(places + i), zero);
    if (!wasm_v128_any_true(isIn)) continue;
    compared += (u32)__builtin_popcount(wasm_i32x4_bitmask(isIn));
    v128_t inner = partProducts(head, headWidth, query);
    inner = wasm_i32x4_add(inner, partProducts(middle, middleWidth, query + headWidth));
    inner = wasm_i32x4_add(inner, partProducts(rest, restWidth, query + headWidth + middleWidth));
    const v128_t low = rounded(inner, inverseOfQuery, wasm_v128_load(inverses + i));
    const v128_t high = rounded(wasm_i64x2_shuffle(inner, zero, 1, 2), inverseOfQuery, wasm_v128_load(inverses + i + 2));
    const v128_t scores = wasm_i64x2_shuffle(low, high, 0, 2);
    wasm_v128_store(out + i, scores);
    const v128_t levelOf = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(levels + i)));
    const v128_t isSampled = wasm_v128_and(isIn, wasm_i32x4_gt(levelOf, below));
    sampled += (u32)__builtin_popcount(wasm_i32x4_bitmask(isSampled));
    const v128_t counted = wasm_v128_and(scores, isSampled);
    sum = wasm_i64x2_add(sum, sumOfPairs(counted));
    squares = wasm_i64x2_add(squares, wasm_i64x2_add(wasm_i64x2_extmul_low_i32x4(counted, counted), wasm_i64x2_extmul_high_i32x4(counted, counted)));
  }
  totals->sampled = sampled;
  totals->sum = total(sum);
  totals->squares = total(squares);
  totals->compared = compared;
}

/** The bits of four rows in a set. */
INLINE u32 fourBits(const u32 *bits, u32 row) {
  return bits[row / 32] >> (row % 32) & 15;
}

/**
 * Writes an upper bound of the cosine of each row whose bit is 1: the product of the heads, and by Cauchy and Schwarz the product of the lengths of
 * what follows. Errors of single precision are far below `SLACK` in nearest-rows.ts.
 *
 * @param count - a multiple of 4.
 * @param inverse - 1 / length of the query.
 * @param tail - the length of the query behind the head, as a part of its length, divided by 65,535.
 * @param maxima - gets the maximum of each 256 bounds.
 */
__attribute__((export_name("bounds")))
void bounds(const i8 *head, u32 count, const i16 *query, float inverse, float tail, const Lengths *lengths, const u32 *bits, float *out, float *maxima) {
  const v128_t laneBits = wasm_i32x4_make(1, 2, 4, 8);
  const v128_t none = wasm_f32x4_splat(NO_BOUND);
  const v128_t inverseOfQuery = wasm_f32x4_splat(inverse);
  const v128_t tailOfQuery = wasm_f32x4_splat(tail);
  for (u32 from = 0; from < count; from += MAXIMUM_OF) {
    const u32 to = from + MAXIMUM_OF < count ? from + MAXIMUM_OF : count;
    v128_t most = none;
    for (u32 i = from; i < to; i += TILE) {
      const u32 isIn = fourBits(bits, i);
      if (!isIn) {
        wasm_v128_store(out + i, none);
        continue;
      }
      const v128_t products = wasm_f32x4_convert_i32x4(partProducts(head + i * HEAD, HEAD, query));
      const v128_t two = wasm_v128_load(lengths + i);
      const v128_t others = wasm_v128_load(lengths + i + 2);
      const v128_t cosines = wasm_f32x4_mul(wasm_f32x4_mul(products, inverseOfQuery), wasm_i32x4_shuffle(two, others, 0, 2, 4, 6));
      const v128_t tails = wasm_f32x4_convert_i32x4(wasm_v128_and(wasm_i32x4_shuffle(two, others, 1, 3, 5, 7), wasm_i32x4_splat(0xffff)));
      const v128_t bound = wasm_f32x4_add(cosines, wasm_f32x4_mul(tailOfQuery, tails));
      const v128_t lanes = wasm_i32x4_ne(wasm_v128_and(wasm_i32x4_splat((i32)isIn), laneBits), wasm_i32x4_splat(0));
      const v128_t kept = wasm_v128_bitselect(bound, none, lanes);
      wasm_v128_store(out + i, kept);
      most = wasm_f32x4_pmax(most, kept);
    }
    most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 2, 3, 0, 1));
    most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 1, 0, 3, 2));
    maxima[from / MAXIMUM_OF] = wasm_f32x4_extract_lane(most, 0);
  }
}

/** Lists the rows whose bound is at least `least`, and returns their number. @param count - a multiple of 4. @param first - the first row. */
__attribute__((export_name("collect")))
u32 collect(const float *bound, u32 first, u32 count, float least, Listed *list) {
  const v128_t lowest = wasm_f32x4_splat(least);
  u32 found = 0;
  for (u32 i = first; i < first + count; i += TILE)
    for (u32 left = wasm_i32x4_bitmask(wasm_f32x4_ge(wasm_v128_load(bound + i), lowest)); left; left &= left - 1) {
      const u32 row = i + (u32)__builtin_ctz(left);
      list[found].row = row;
      list[found++].bound = bound[row];
    }
  return found;
}

/**
 * Writes the rows of a list whose bound is at least `least` by two parts of the row. Returns their number.
 *
 * @param tail - see `bounds`. `last` is the same of the query behind the middle.
 */
__attribute__((export_name("narrow")))
u32 narrow(const Listed *list, u32 count, const i8 *middle, const i16 *query, float inverse, float tail, float last, const Lengths *lengths, float least, u32 *kept) {
  u32 found = 0;
  for (u32 i = 0; i < count; i++) {
    const u32 row = list[i].row;
    const Lengths *const of = lengths + row;
    const float cosine = (float)partProduct(middle + row * MIDDLE, MIDDLE, query) * inverse * of->inverse;
    if (list[i].bound - tail * (float)of->tail + cosine + last * (float)of->last >= least) kept[found++] = row;
  }
  return found;
}

/** Writes the scores of the rows of a list. */
__attribute__((export_name("score")))
void score(const u32 *list, u32 count, const i8 *head, const i8 *middle, const i8 *rest, u32 restWidth, const i16 *query, double inverse, const double *inverses, i32 *out) {
  const v128_t inverseOfQuery = wasm_f64x2_splat(inverse);
  for (u32 i = 0; i < count; i++) {
    const u32 row = list[i];
    const i32 product = partProduct(head + row * HEAD, HEAD, query) + partProduct(middle + row * MIDDLE, MIDDLE, query + HEAD) + partProduct(rest + row * restWidth, restWidth, query + HEAD + MIDDLE);
    out[i] = wasm_i32x4_extract_lane(rounded(wasm_i32x4_splat(product), inverseOfQuery, wasm_f64x2_splat(inverses[row])), 0);
  }
}

/** Lists the rows whose bit is 1 and whose level is at least `level`. Returns their number. @param count - a multiple of 16. */
__attribute__((export_name("sample")))
u32 sample(const u8 *levels, const u32 *bits, u32 first, u32 count, u32 level, u32 *list) {
  const v128_t lowest = wasm_u8x16_splat((u8)level);
  u32 found = 0;
  for (u32 i = first; i < first + count; i += 16) {
    const u32 reached = wasm_i8x16_bitmask(wasm_u8x16_ge(wasm_v128_load(levels + i), lowest));
    for (u32 left = reached & bits[i / 32] >> (i % 32); left; left &= left - 1) list[found++] = i + (u32)__builtin_ctz(left);
  }
  return found;
}
