import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TermFilter, TermFilterWriter } from '../../../../core/segment/dictionary/term-filter.ts'
import { Stream } from '../../../../core/segment/streams.ts'
import { MemoryChunks } from '../memory-chunks.ts'

function filterOf(terms: readonly string[]): { filter: TermFilter; chunks: MemoryChunks } {
  const chunks = new MemoryChunks()
  const writer = new TermFilterWriter()
  for (const term of terms) {
    const bytes = Buffer.from(term)
    writer.add(bytes, 0, bytes.length)
  }
  writer.finish(chunks)
  return { filter: new TermFilter(chunks), chunks }
}

const mayHold = (filter: TermFilter, term: string): boolean =>
  filter.mayHold(Buffer.from(term), Buffer.byteLength(term))

describe('the filter of the terms of a segment', () => {
  it('lets every term of the segment pass', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })), terms => {
        const { filter } = filterOf(terms)
        for (const term of terms) expect(mayHold(filter, term)).toBe(true)
      }),
    )
  })

  it('lets about one in a hundred other terms pass', () => {
    const { filter } = filterOf(Array.from({ length: 20_000 }, (_, n) => `word${n * 7}`))
    const others = Array.from({ length: 20_000 }, (_, n) => `other${n * 3}`)
    const passed = others.filter(term => mayHold(filter, term)).length / others.length
    expect(passed).toBeGreaterThan(0.001)
    expect(passed).toBeLessThan(0.02)
  })

  it('lets no term of an empty segment pass', () => {
    expect(mayHold(filterOf([]).filter, 'word')).toBe(false)
  })

  it('takes a byte and a quarter a term', () => {
    const { chunks } = filterOf(Array.from({ length: 10_000 }, (_, n) => `word${n}`))
    expect(chunks.get(Stream.termFilter, 0).length / 10_000).toBeCloseTo(1.25, 1)
  })

  it('is corrupt if its version or its length is wrong', () => {
    const { chunks } = filterOf(['word'])
    const bytes = chunks.get(Stream.termFilter, 0)
    const damaged = [bytes.subarray(0, -1), bytes.subarray(0, -4), new Uint8Array(0), bytes.map(byte => byte ^ 1)]
    for (const one of damaged)
      expect(() => new TermFilter({ get: () => one })).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
  })
})
