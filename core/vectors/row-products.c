// The inner products of a vector and many rows of signed bytes. The memory is shared by threads, so this kernel has no variables and no stack.
#include <wasm_simd128.h>

typedef signed char i8;
typedef short i16;
typedef unsigned int u32;
typedef int i32;

#define INLINE static inline __attribute__((always_inline))
/** Rows that are multiplied at once: the query is loaded once for all of them. */
#define TILE 4

INLINE i32 sumOf(v128_t v) {
  return wasm_i32x4_extract_lane(v, 0) + wasm_i32x4_extract_lane(v, 1) + wasm_i32x4_extract_lane(v, 2) + wasm_i32x4_extract_lane(v, 3);
}

INLINE void multiply(const u32 tile, const i8 *row, u32 dimensions, const i16 *query, i32 *out) {
  v128_t sums[TILE];
  const u32 whole = dimensions & ~7u;
  _Pragma("clang loop unroll(full)") for (u32 r = 0; r < tile; r++) sums[r] = wasm_i32x4_splat(0);
  for (u32 j = 0; j < whole; j += 8) {
    const v128_t q = wasm_v128_load(query + j);
    _Pragma("clang loop unroll(full)") for (u32 r = 0; r < tile; r++)
      sums[r] = wasm_i32x4_add(sums[r], wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(row + r * dimensions + j), q));
  }
  _Pragma("clang loop unroll(full)") for (u32 r = 0; r < tile; r++) {
    i32 sum = sumOf(sums[r]);
    for (u32 j = whole; j < dimensions; j++) sum += row[r * dimensions + j] * query[j];
    out[r] = sum;
  }
}

/** Writes the inner product of `query` and each row. `dimensions` is at most 8,192, so that no sum exceeds 32 bits. */
__attribute__((export_name("products")))
void products(const i8 *rows, u32 count, u32 dimensions, const i16 *query, i32 *out) {
  u32 i = 0;
  for (; i + TILE <= count; i += TILE) multiply(TILE, rows + i * dimensions, dimensions, query, out + i);
  for (; i < count; i++) multiply(1, rows + i * dimensions, dimensions, query, out + i);
}
