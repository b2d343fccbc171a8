import { expect, it } from 'vitest'
import { syntheticHistory } from '../../../bench/apparatus/synthetic-history.ts'

const settings = { pages: 30, seed: 7, vocabulary: 1_000, meanWords: 50 }
const captures = [...syntheticHistory(settings)]
const byUrl = Map.groupBy(captures, ({ url }) => url)

it('captures each page 1 to 50 times, and the first one of 500 pages 400 times', () => {
  expect(byUrl.size).toBe(settings.pages)
  const counts = [...byUrl.values()].map(({ length }) => length).sort((a, b) => b - a)
  expect(counts[0]).toBe(400)
  expect(counts[1]).toBeLessThanOrEqual(50)
  expect(counts.at(-1)).toBeGreaterThanOrEqual(1)
})

it('orders the captures by time, each at an instant of its own', () => {
  expect(captures.map(({ number }) => number)).toEqual(captures.map((_, i) => i))
  for (const [i, { acquiredAt }] of captures.slice(1).entries())
    expect(acquiredAt).toBeGreaterThan(captures[i]!.acquiredAt)
})

it('changes the text from capture to capture, and keeps its title and its length', () => {
  for (const versions of byUrl.values()) {
    expect(new Set(versions.map(({ text }) => text)).size).toBe(versions.length)
    expect(new Set(versions.map(({ title }) => title)).size).toBe(1)
    expect(new Set(versions.map(({ text }) => text.split(/\s+/).length)).size).toBe(1)
  }
})

it('generates the same captures from the same seed, and other ones from another', () => {
  expect([...syntheticHistory(settings)]).toEqual(captures)
  expect([...syntheticHistory({ ...settings, seed: 8 })]).not.toEqual(captures)
})
