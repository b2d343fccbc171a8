import { describe, expect, it } from 'vitest'
import { lastDifference } from '../../console/search/last-difference.ts'

const changes = Array.from({ length: 240 }, (_, n) => 100 * (n + 1))

/** Looks for the last difference of an answer that has been the same since an instant. */
async function seek(sameFrom: number, newestAt?: number) {
  let asked = 0
  const found = await lastDifference(changes, newestAt, async at => {
    asked++
    return at >= sameFrom
  })
  return { found, asked }
}

describe('the last moment at which an answer was another one', () => {
  it('is found with few answers, wherever it is', async () => {
    for (const change of changes.slice(1)) {
      const { found, asked } = await seek(change)
      expect(found).toBe(change - 100)
      expect(asked).toBeLessThanOrEqual(16)
    }
  })

  it('is just before the newest result if nothing else changed since', async () => {
    expect(await seek(20_050, 20_050)).toMatchObject({ found: 20_049 })
    expect(await seek(23_950, 23_950)).toEqual({ found: 23_949, asked: 1 })
    // Within the last part of the history, no other moment is asked for.
    expect(await seek(24_050, 24_050)).toEqual({ found: 24_049, asked: 0 })
  })

  it('is later if a page left the answer after the newest result came', async () => {
    expect(await seek(22_000, 20_050)).toMatchObject({ found: 21_900 })
  })

  it('is none if the answer has always been the same', async () => {
    expect((await seek(0)).found).toBeUndefined()
    expect(await lastDifference([], 500, async () => true)).toBe(499)
  })
})
