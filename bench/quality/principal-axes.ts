/** Number of passes over all pairs of dimensions after which the axes are exact; it converges quadratically. */
const MAX_PASSES = 30
/** The largest sum of squares beside the diagonal, as a share of that on it, at which the axes are exact. */
const EXACT = 1e-22

/**
 * Returns the directions in which rows differ most from zero, the longest axis first: the eigenvectors of the sum of their outer products,
 * by the method of Jacobi. The largest component of each is positive.
 */
export function principalAxes(rows: readonly Float64Array[], count: number): Float64Array[] {
  const width = rows[0]?.length ?? 0
  const matrix = Array.from({ length: width }, () => new Float64Array(width))
  for (const row of rows)
    for (let i = 0; i < width; i++) {
      const line = matrix[i]!
      for (let j = 0; j < width; j++) line[j]! += row[i]! * row[j]!
    }
  const axes = Array.from({ length: width }, (_, i) => Float64Array.from({ length: width }, (_, j) => Number(i === j)))
  for (let pass = 0; !isDiagonal(matrix); pass++) {
    if (pass === MAX_PASSES) throw new Error('the axes do not converge')
    for (let p = 0; p < width; p++) for (let q = p + 1; q < width; q++) rotate(matrix, axes, p, q)
  }
  return axes
    .map((axis, i) => ({ axis, length: matrix[i]![i]! }))
    .sort((a, b) => b.length - a.length)
    .slice(0, count)
    .map(({ axis }) => withPositivePeak(axis))
}

function isDiagonal(matrix: readonly Float64Array[]): boolean {
  let [on, off] = [0, 0]
  for (const [i, line] of matrix.entries())
    for (const [j, value] of line.entries()) {
      if (i === j) on += value * value
      else off += value * value
    }
  return off <= EXACT * on
}

/** Rotates the plane of two dimensions so that the matrix has a zero there. The rows of `axes` are rotated with it. */
function rotate(matrix: readonly Float64Array[], axes: readonly Float64Array[], p: number, q: number): void {
  const [first, second] = [matrix[p]!, matrix[q]!]
  const off = first[q]!
  if (off === 0) return
  const slope = (second[q]! - first[p]!) / (2 * off)
  const tangent = Math.sign(slope || 1) / (Math.abs(slope) + Math.hypot(slope, 1))
  const cosine = 1 / Math.hypot(tangent, 1)
  const sine = tangent * cosine
  for (const line of matrix) turn(line, p, line, q)
  for (let j = 0; j < first.length; j++) turn(first, j, second, j)
  for (let j = 0; j < first.length; j++) turn(axes[p]!, j, axes[q]!, j)

  function turn(left: Float64Array, l: number, right: Float64Array, r: number): void {
    const [x, y] = [left[l]!, right[r]!]
    left[l] = cosine * x - sine * y
    right[r] = sine * x + cosine * y
  }
}

function withPositivePeak(axis: Float64Array): Float64Array {
  const peak = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0)
  return peak < 0 ? axis.map(value => -value) : axis
}
