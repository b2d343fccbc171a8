/**
 * Returns a source of random whole numbers of 32 bits: sfc32 (Chris Doty-Humphrey, PractRand), with 128 bits of state, which passes BigCrush.
 * The same seed and stream give the same numbers on every machine.
 */
export function randomBits(seed: number, stream = 0): () => number {
  let a = seed | 0
  let b = stream | 0
  let c = 0x9e3779b9 | 0
  let counter = 1
  const bits = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) bits()
  return bits
}
