import { expect, it } from 'vitest'
import { rotationTables } from '../../../encoder/forward/rotation-tables.ts'

it.each([
  [10_000, 32],
  [160_000, 32],
  [1, 8],
  [1e12, 4],
])('has the cosines and sines of positions, base %d with %d pairs', (theta, half) => {
  const positions = 8192
  const { cosines, sines } = rotationTables(theta, half, positions)
  let worst = 0
  for (let p = 0; p < positions; p += 61)
    for (let j = 0; j < half; j++) {
      const angle = p / theta ** (j / half)
      worst = Math.max(worst, Math.abs(cosines[p * half + j]! - Math.cos(angle)))
      worst = Math.max(worst, Math.abs(sines[p * half + j]! - Math.sin(angle)))
    }
  expect(worst).toBeLessThan(1e-7)
})
