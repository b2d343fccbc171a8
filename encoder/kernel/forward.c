// The loops of the forward pass of an encoder. The memory is shared by threads: weights that all of them read, and scratch space of each.
// So this kernel has no variables of its own and no stack. Products of weights are sums of integers; sums of floats have one order. No
// instruction gives other bits on another machine: no relaxed SIMD, no fused multiplication and addition.
//
// generate-kernels.ts defines TILE_ROWS and the modes of `dense`.
#include <wasm_simd128.h>

typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef float f32;

#define EXPORT(name) __attribute__((export_name(#name)))
#define INLINE static inline __attribute__((always_inline))
/** A function that is compiled once: its loops do not depend on a constant number of rows. */
#define SHARED static __attribute__((noinline))
#define FOR_ROWS _Pragma("clang loop unroll(full)") for (u32 r = 0; r < rows; r++)

/** Runs a piece of code with a constant number of rows, so that its sums stay in registers. */
#define WITH_ROWS(count, call)                    \
  switch (count) {                                \
    case 1: { enum { rows = 1 }; call; break; }   \
    case 2: { enum { rows = 2 }; call; break; }   \
    case 3: { enum { rows = 3 }; call; break; }   \
    case 4: { enum { rows = 4 }; call; break; }   \
    case 5: { enum { rows = 5 }; call; break; }   \
    default: { enum { rows = TILE_ROWS }; call; } \
  }

INLINE v128_t load(const void *from) { return wasm_v128_load(from); }
INLINE v128_t splat(f32 value) { return wasm_f32x4_splat(value); }
INLINE v128_t add(v128_t a, v128_t b) { return wasm_f32x4_add(a, b); }
INLINE v128_t sub(v128_t a, v128_t b) { return wasm_f32x4_sub(a, b); }
INLINE v128_t mul(v128_t a, v128_t b) { return wasm_f32x4_mul(a, b); }
/** a × b + c, rounded twice. */
INLINE v128_t mulAdd(v128_t a, v128_t b, v128_t c) { return add(mul(a, b), c); }

INLINE f32 sumOf(v128_t v) {
  return (wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 2)) + (wasm_f32x4_extract_lane(v, 1) + wasm_f32x4_extract_lane(v, 3));
}

INLINE f32 larger(f32 a, f32 b) { return a > b ? a : b; }

INLINE f32 largestOf(v128_t v) {
  return larger(larger(wasm_f32x4_extract_lane(v, 0), wasm_f32x4_extract_lane(v, 1)), larger(wasm_f32x4_extract_lane(v, 2), wasm_f32x4_extract_lane(v, 3)));
}

#define MAGIC 12582912.0f // 1.5 × 2²³: a number that is added to it is rounded to an integer, in the low bits of the sum

/** The nearest integers of numbers below 2²² in size. */
INLINE v128_t rounded(v128_t x) { return wasm_i32x4_sub(add(x, splat(MAGIC)), splat(MAGIC)); }

/** Writes four pairs of i16, `stride` pairs apart. */
INLINE void storePairs(i32 *to, u32 stride, v128_t pairs) {
  wasm_v128_store32_lane(to, pairs, 0);
  wasm_v128_store32_lane(to + stride, pairs, 1);
  wasm_v128_store32_lane(to + 2 * stride, pairs, 2);
  wasm_v128_store32_lane(to + 3 * stride, pairs, 3);
}

/** e^x for x up to 88 (below −87: that of −87), to 2 units in the last place. Cephes' expf. */
INLINE v128_t exponential(v128_t x) {
  x = wasm_f32x4_pmax(splat(-87.0f), x);
  const v128_t shifted = add(mul(x, splat(1.44269504088896341f)), splat(MAGIC)), power = sub(shifted, splat(MAGIC));
  x = sub(sub(x, mul(power, splat(0.693359375f))), mul(power, splat(-2.12194440e-4f)));
  v128_t y = splat(1.9875691500e-4f);
  y = mulAdd(y, x, splat(1.3981999507e-3f));
  y = mulAdd(y, x, splat(8.3334519073e-3f));
  y = mulAdd(y, x, splat(4.1665795894e-2f));
  y = mulAdd(y, x, splat(1.6666665459e-1f));
  y = mulAdd(y, x, splat(5.0000001201e-1f));
  y = add(mulAdd(y, mul(x, x), x), splat(1.0f));
  return wasm_i32x4_add(y, wasm_i32x4_shl(shifted, 23));
}

/** The error function, to 3 × 10⁻⁷. A quotient of polynomials, as in Eigen. */
INLINE v128_t errorFunction(v128_t x) {
  x = wasm_f32x4_pmax(splat(-4.0f), wasm_f32x4_pmin(splat(4.0f), x));
  const v128_t square = mul(x, x);
  v128_t p = splat(-2.72614225801306e-10f);
  p = mulAdd(p, square, splat(2.77068142495902e-08f));
  p = mulAdd(p, square, splat(-2.10102402082508e-06f));
  p = mulAdd(p, square, splat(-5.69250639462346e-05f));
  p = mulAdd(p, square, splat(-7.34990630326855e-04f));
  p = mulAdd(p, square, splat(-2.95459980854025e-03f));
  p = mulAdd(p, square, splat(-1.60960333262415e-02f));
  v128_t q = splat(-1.45660718464996e-05f);
  q = mulAdd(q, square, splat(-2.13374055278905e-04f));
  q = mulAdd(q, square, splat(-1.68282697438203e-03f));
  q = mulAdd(q, square, splat(-7.37332916720468e-03f));
  q = mulAdd(q, square, splat(-1.42647390514189e-02f));
  return wasm_f32x4_div(mul(x, p), q);
}

INLINE v128_t gelu(v128_t x) {
  return mul(mul(x, splat(0.5f)), add(splat(1.0f), errorFunction(mul(x, splat(0.70710678118654752f)))));
}

/**
 * Writes the sum of the embeddings of each token: of its word (bytes with one zero point and a scale for each word), its position and its
 * type. `positions` and `types` are 0 in models that have none.
 */
EXPORT(embed)
void embed(const u32 *ids, const u32 *typeIds, u32 count, u32 width, const u8 *words, const f32 *scales, f32 zero, const f32 *positions,
           const f32 *types, f32 *out) {
  for (u32 t = 0; t < count; t++, out += width) {
    const u8 *word = words + ids[t] * width;
    const v128_t scale = splat(scales[ids[t]]), zeros = splat(zero);
    for (u32 j = 0; j < width; j += 4) {
      const v128_t bytes = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(word + j)));
      v128_t value = mul(sub(wasm_f32x4_convert_i32x4(bytes), zeros), scale);
      if (positions) value = add(value, load(positions + t * width + j));
      if (types) value = add(value, load(types + typeIds[t] * width + j));
      wasm_v128_store(out + j, value);
    }
  }
}

/** Normalizes each row to mean 0 and variance 1, then multiplies by `gain` and adds `bias` (0: none). `out` may be `x`. */
EXPORT(layerNorm)
void layerNorm(const f32 *x, u32 count, u32 width, const f32 *gain, const f32 *bias, f32 epsilon, f32 *out) {
  for (u32 t = 0; t < count; t++, x += width, out += width) {
    v128_t sum = splat(0), squares = splat(0);
    for (u32 j = 0; j < width; j += 4) sum = add(sum, load(x + j));
    const v128_t mean = splat(sumOf(sum) / (f32)width);
    for (u32 j = 0; j < width; j += 4) {
      const v128_t gap = sub(load(x + j), mean);
      squares = add(squares, mul(gap, gap));
    }
    const v128_t scale = splat(1.0f / __builtin_sqrtf(sumOf(squares) / (f32)width + epsilon));
    for (u32 j = 0; j < width; j += 4) {
      v128_t value = mul(mul(sub(load(x + j), mean), scale), load(gain + j));
      if (bias) value = add(value, load(bias + j));
      wasm_v128_store(out + j, value);
    }
  }
}

/** Quantizes the rows of a tile. The pairs of adjacent columns of all rows stand together. */
SHARED void quantizeTile(u32 rows, const f32 *x, u32 width, u32 stride, f32 limit, i16 *out, f32 *scales) {
  for (u32 r = 0; r < rows; r++, x += stride) {
    v128_t sizes = splat(1e-12f);
    for (u32 j = 0; j < width; j += 4) sizes = wasm_f32x4_pmax(sizes, wasm_f32x4_abs(load(x + j)));
    const f32 largest = largestOf(sizes);
    scales[r] = largest / limit;
    const v128_t scale = splat(limit / largest);
    i32 *to = (i32 *)out + r;
    for (u32 j = 0; j < width; j += 8, to += 4 * rows)
      storePairs(to, rows, wasm_i16x8_narrow_i32x4(rounded(mul(load(x + j), scale)), rounded(mul(load(x + j + 4), scale))));
  }
}

/** Quantizes each row to integers of −limit…limit by its largest absolute value, in tiles of TILE_ROWS rows. */
EXPORT(quantize)
void quantize(const f32 *x, u32 count, u32 width, f32 limit, i16 *out, f32 *scales) {
  for (u32 t = 0; t < count; t += TILE_ROWS) {
    const u32 left = count - t, rows = left < TILE_ROWS ? left : TILE_ROWS;
    quantizeTile(rows, x + t * width, width, width, limit, out + t * width, scales + t);
  }
}

INLINE void finish(const u32 rows, const v128_t *low, const v128_t *high, const f32 *rowScales, const f32 *scales, const f32 *bias, f32 *out,
                   u32 outputs, u32 mode) {
  const v128_t scaleLow = load(scales), scaleHigh = load(scales + 4);
  const v128_t biasLow = bias ? load(bias) : splat(0), biasHigh = bias ? load(bias + 4) : splat(0);
  FOR_ROWS {
    const v128_t scale = splat(rowScales[r]);
    v128_t a = add(mul(mul(wasm_f32x4_convert_i32x4(low[r]), scale), scaleLow), biasLow);
    v128_t b = add(mul(mul(wasm_f32x4_convert_i32x4(high[r]), scale), scaleHigh), biasHigh);
    f32 *to = out + r * outputs;
    if (mode == ADD) {
      a = add(a, load(to));
      b = add(b, load(to + 4));
    } else if (mode == GELU) {
      a = gelu(a);
      b = gelu(b);
    }
    wasm_v128_store(to, a);
    wasm_v128_store(to + 4, b);
  }
}

INLINE void denseTile(const u32 rows, const i16 *a, const i16 *panel, u32 inputs, const f32 *rowScales, const f32 *scales, const f32 *bias,
                      f32 *out, u32 outputs, u32 mode) {
  v128_t low[TILE_ROWS], high[TILE_ROWS];
  FOR_ROWS low[r] = high[r] = wasm_i32x4_splat(0);
  const i16 *const end = panel + 8 * inputs;
#define STEP(s)                                                                              \
  {                                                                                          \
    const v128_t b0 = load(panel + 16 * s), b1 = load(panel + 16 * s + 8);                   \
    FOR_ROWS {                                                                               \
      const v128_t pair = wasm_v128_load32_splat(a + 2 * rows * s + 2 * r);                  \
      low[r] = wasm_i32x4_add(low[r], wasm_i32x4_dot_i16x8(pair, b0));                       \
      high[r] = wasm_i32x4_add(high[r], wasm_i32x4_dot_i16x8(pair, b1));                     \
    }                                                                                        \
  }
  while (panel < end) {
    STEP(0)
    STEP(1)
    STEP(2)
    STEP(3)
    panel += 64;
    a += 8 * rows;
  }
  finish(rows, low, high, rowScales, scales, bias, out, outputs, mode);
}

SHARED void product(u32 rowCount, const i16 *a, const i16 *panel, u32 inputs, const f32 *rowScales, const f32 *scales, const f32 *bias, f32 *out,
                    u32 outputs, u32 mode) {
  WITH_ROWS(rowCount, denseTile(rows, a, panel, inputs, rowScales, scales, bias, out, outputs, mode));
}

/**
 * Multiplies quantized rows by a matrix of bytes: out[t] = a[t] · weights × scales + bias. Mode: STORE, ADD to `out`, or GELU of the result.
 *
 * `weights` has panels of 8 outputs, each with the pairs of adjacent inputs of its outputs. `panel` is scratch space of 16 × inputs bytes.
 * `inputs` and `outputs` are multiples of 8.
 */
EXPORT(dense)
void dense(const i16 *a, const f32 *rowScales, u32 count, u32 inputs, const i8 *weights, const f32 *scales, const f32 *bias, u32 outputs,
           i16 *panel, f32 *out, u32 mode) {
  for (u32 o = 0; o < outputs; o += 8) {
    for (u32 i = 0; i < 8 * inputs; i += 8) wasm_v128_store(panel + i, wasm_i16x8_load8x8(weights + i));
    weights += 8 * inputs;
    for (u32 t = 0; t < count; t += TILE_ROWS) {
      const u32 left = count - t;
      product(left, a + t * inputs, panel, inputs, rowScales + t, scales + o, bias ? bias + o : 0, out + t * outputs + o, outputs, mode);
    }
  }
}

/** Rotates the pairs of each head, (j, j + half), by the angles of the position of the row. `x` has `stride` numbers in a row. */
EXPORT(rotate)
void rotate(f32 *x, u32 count, u32 stride, u32 heads, u32 headWidth, const f32 *cosines, const f32 *sines) {
  const u32 half = headWidth / 2;
  for (u32 t = 0; t < count; t++, x += stride, cosines += half, sines += half)
    for (u32 h = 0; h < heads; h++) {
      f32 *first = x + h * headWidth, *second = first + half;
      for (u32 j = 0; j < half; j += 4) {
        const v128_t a = load(first + j), b = load(second + j), c = load(cosines + j), s = load(sines + j);
        wasm_v128_store(first + j, sub(mul(a, c), mul(b, s)));
        wasm_v128_store(second + j, add(mul(b, c), mul(a, s)));
      }
    }
}

/** Sum of the shares that a token gives to the tokens that it sees. */
#define WHOLE 32767.0f

/**
 * Turns the scores of a row for the tokens from…to into the shares of these tokens, as pairs of integers that add up to about WHOLE.
 * Tokens that `token` does not see get 0.
 */
SHARED void softmax(u32 rows, f32 *scores, u32 from, u32 to, u32 token, u32 count, u32 window, f32 scale, i32 *shares) {
  const u32 first = token > window ? token - window : 0, end = count - 1 - token > window ? token + window + 1 : count;
  for (u32 t = from; t < first; t++) scores[t - from] = -3e38f;
  for (u32 t = end; t < to; t++) scores[t - from] = -3e38f;
  v128_t most = splat(-3e38f), total = splat(0);
  for (u32 j = 0; j < to - from; j += 4) most = wasm_f32x4_pmax(most, load(scores + j));
  const v128_t largest = splat(largestOf(most)), factor = splat(scale);
  for (u32 j = 0; j < to - from; j += 4) {
    const v128_t share = exponential(mul(sub(load(scores + j), largest), factor));
    wasm_v128_store(scores + j, share);
    total = add(total, share);
  }
  const v128_t toWhole = splat(WHOLE / sumOf(total));
  for (u32 j = 0; j < to - from; j += 8, shares += 4 * rows)
    storePairs(shares, rows, wasm_i16x8_narrow_i32x4(rounded(mul(load(scores + j), toWhole)), rounded(mul(load(scores + j + 4), toWhole))));
}

/** Quantizes the values of a head by the largest of each column, in panels of 8 columns: the pairs of adjacent tokens stand together. */
SHARED void quantizeValues(const f32 *v, u32 stride, u32 count, u32 padded, u32 headWidth, i16 *out, f32 *scales) {
  for (u32 j = 0; j < headWidth; j += 4) {
    v128_t largest = splat(1e-12f);
    for (u32 t = 0; t < count; t++) largest = wasm_f32x4_pmax(largest, wasm_f32x4_abs(load(v + t * stride + j)));
    wasm_v128_store(scales + j, mul(largest, splat(1.0f / WHOLE)));
    const v128_t scale = wasm_f32x4_div(splat(WHOLE), largest);
    i16 *to = out + (j & ~7u) * padded + 2 * (j & 7);
    for (u32 t = 0; t < padded; t += 2, to += 16) {
      const v128_t even = rounded(mul(load(v + t * stride + j), scale)), odd = rounded(mul(load(v + (t + 1) * stride + j), scale));
      const v128_t both = wasm_i16x8_narrow_i32x4(even, odd);
      wasm_v128_store(to, wasm_i16x8_shuffle(both, both, 0, 4, 1, 5, 2, 6, 3, 7));
    }
  }
}

/** The scratch space of the attention of one head. */
typedef struct {
  i16 *keys, *values, *query, *shares;
  f32 *keyScales, *valueScales, *queryScales, *shareScales, *scores;
} Head;

INLINE void attendTile(u32 rows, const f32 *q, u32 stride, u32 token, u32 count, u32 headWidth, u32 window, f32 limit, f32 scale, Head s,
                       f32 *out, u32 width) {
  // Panels have 8 tokens, so the range of tokens begins and ends between panels.
  const u32 from = token > window ? (token - window) & ~7u : 0;
  const u32 last = token + rows - 1, padded = (count + 7) & ~7u;
  const u32 to = count - 1 - last > window && last < count ? (last + window + 8) & ~7u : padded;
  quantizeTile(rows, q, headWidth, stride, limit, s.query, s.queryScales);
  for (u32 t = from; t < to; t += 8)
    product(rows, s.query, s.keys + t * headWidth, headWidth, s.queryScales, s.keyScales + t, 0, s.scores + t - from, padded, STORE);
  for (u32 r = 0; r < rows; r++) {
    softmax(rows, s.scores + r * padded, from, to, token + r, count, window, scale, (i32 *)s.shares + r);
    s.shareScales[r] = 1.0f / WHOLE;
  }
  for (u32 j = 0; j < headWidth; j += 8)
    product(rows, s.shares, s.values + j * padded + from * 8, to - from, s.shareScales, s.valueScales + j, 0, out + j, width, STORE);
}

/**
 * Attention of all heads. `qkv` has the query, the key and the value of a token in one row; it has space for `padded` rows, the count rounded
 * up to a multiple of 8. A token sees tokens at most `window` away. Queries and keys are quantized to −limit…limit. `scratch` has space for
 * 4 × padded × (headWidth + 1) + TILE_ROWS × (6 × padded + 2 × headWidth + 8) + 4 × headWidth bytes.
 */
EXPORT(attend)
void attend(const f32 *qkv, u32 count, u32 heads, u32 headWidth, u32 window, f32 limit, f32 scale, u8 *scratch, f32 *out) {
  const u32 width = heads * headWidth, stride = 3 * width, padded = (count + 7) & ~7u;
  Head s;
  s.keys = (i16 *)scratch;
  s.values = s.keys + padded * headWidth;
  s.keyScales = (f32 *)(s.values + padded * headWidth);
  s.valueScales = s.keyScales + padded;
  s.scores = s.valueScales + headWidth;
  s.queryScales = s.scores + TILE_ROWS * padded;
  s.shareScales = s.queryScales + TILE_ROWS;
  s.query = (i16 *)(s.shareScales + TILE_ROWS);
  s.shares = s.query + TILE_ROWS * headWidth;
  for (u32 h = 0; h < heads; h++) {
    const f32 *q = qkv + h * headWidth, *k = q + width, *v = k + width;
    for (u32 t = 0; t < padded; t += 8) quantizeTile(8, k + t * stride, headWidth, stride, limit, s.keys + t * headWidth, s.keyScales + t);
    quantizeValues(v, stride, count, padded, headWidth, s.values, s.valueScales);
    for (u32 t = 0; t < count; t += TILE_ROWS) {
      const u32 left = count - t, rows = left < TILE_ROWS ? left : TILE_ROWS;
      attendTile(rows, q + t * stride, stride, t, count, headWidth, window, limit, scale, s, out + t * width + h * headWidth, width);
    }
  }
}

/** out = gelu(first half of a row) × second half of the row. */
EXPORT(gatedGelu)
void gatedGelu(const f32 *x, u32 count, u32 width, f32 *out) {
  for (u32 t = 0; t < count; t++, x += 2 * width, out += width)
    for (u32 j = 0; j < width; j += 4) wasm_v128_store(out + j, mul(gelu(load(x + j)), load(x + width + j)));
}

/** Replaces each value by its GELU. `count` is a multiple of 4. */
EXPORT(geluAll)
void geluAll(f32 *x, u32 count) {
  for (u32 j = 0; j < count; j += 4) wasm_v128_store(x + j, gelu(load(x + j)));
}

/** Replaces each value by its hyperbolic tangent. `count` is a multiple of 4. */
EXPORT(tanhAll)
void tanhAll(f32 *x, u32 count) {
  for (u32 j = 0; j < count; j += 4) {
    const v128_t twice = wasm_f32x4_pmax(splat(-20.0f), wasm_f32x4_pmin(splat(20.0f), mul(load(x + j), splat(2.0f))));
    wasm_v128_store(x + j, sub(splat(1.0f), wasm_f32x4_div(splat(2.0f), add(exponential(twice), splat(1.0f)))));
  }
}
