/**
 * Returns the cosines and sines of the angles by which ModernBERT rotates the pairs of a head: for position p and pair j of `half`,
 * p / theta^(j / half). Made of additions, multiplications, divisions and square roots alone, which every machine rounds in the same way;
 * those of `Math` may differ. The error is below 10⁻⁷ up to 100,000 positions.
 */
export function rotationTables(
  theta: number,
  half: number,
  positions: number,
): { cosines: Float32Array; sines: Float32Array } {
  const cosines = new Float32Array(positions * half)
  const sines = new Float32Array(positions * half)
  const step = root(theta, half)
  let angle = 1
  for (let j = 0; j < half; j++, angle /= step) {
    const turn = smallTurn(angle)
    let [cosine, sine] = [1, 0]
    for (let p = 0; p < positions; p++) {
      cosines[p * half + j] = cosine
      sines[p * half + j] = sine
      ;[cosine, sine] = [cosine * turn.cosine - sine * turn.sine, sine * turn.cosine + cosine * turn.sine]
    }
  }
  return { cosines, sines }
}

/** The root of a number of at least 1, by bisection. */
function root(number: number, degree: number): number {
  let [low, high] = [1, Math.max(1, number)]
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2
    let power = 1
    for (let d = 0; d < degree && power <= number; d++) power *= middle
    if (power <= number) low = middle
    else high = middle
  }
  return low
}

/** The cosine and sine of an angle from 0 to 1, by their series. */
function smallTurn(angle: number): { cosine: number; sine: number } {
  const square = angle * angle
  let [cosine, sine] = [1, 1]
  for (let i = 24; i > 0; i -= 2) {
    cosine = 1 - (cosine * square) / (i * (i - 1))
    sine = 1 - (sine * square) / (i * (i + 1))
  }
  return { cosine, sine: sine * angle }
}
