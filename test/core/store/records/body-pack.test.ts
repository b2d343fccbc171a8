import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { BodyPackReader, packBodies, withoutBodies } from '../../../../core/store/records/body-pack.ts'
import { type Body, decodeStoredBody, decodeText, encodeBody } from '../../../../core/store/records/documents.ts'

const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

function bodyOf(text: string): Body {
  return { details: { author: 'A. Author' }, markdown: `# ${text}`, text }
}

function packed(bodies: ReadonlyMap<number, Body>) {
  const encoded = [...bodies].map(([captureId, body]) => {
    const writer = new ByteWriter(64)
    encodeBody(body, writer)
    return { captureId, bytes: writer.finish() }
  })
  return [...packBodies(encoded)]
}

const words = fc.tuple(fc.string({ unit: 'binary' }), fc.nat(2000)).map(([text, times]) => {
  return `${text.toWellFormed()} `.repeat(1 + (times % Math.ceil(20_000 / (text.length + 1))))
})
const bodies = fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), words), { maxLength: 12 }).map(steps => {
  let captureId = 0
  const all = new Map<number, Body>()
  for (const [step, text] of steps) {
    captureId += step
    all.set(captureId, bodyOf(text))
  }
  return all
})

describe('packs of bodies', () => {
  it('read back as written, each body alone', () => {
    fc.assert(
      fc.property(bodies, all => {
        const read = new Map<number, Body>()
        for (const { number, captureIds, bytes } of packed(all)) {
          const reader = new BodyPackReader(number, bytes)
          expect(reader.captureIds).toEqual(captureIds)
          expect(captureIds[0]).toBe(number)
          expect(captureIds.at(-1)! - number).toBeLessThan(256)
          for (const captureId of captureIds.toReversed())
            read.set(captureId, decodeStoredBody(reader.body(captureId)!, ''))
          expect(reader.body(captureIds.at(-1)! + 1)).toBeUndefined()
        }
        expect(new Map([...read].sort(([a], [b]) => a - b))).toEqual(all)
      }),
      { numRuns: 60 },
    )
  })

  it('hold several pages of two kilobytes', () => {
    const pages = new Map(Array.from({ length: 100 }, (_, i) => [i, bodyOf(`${i} is a page of words. `.repeat(90))]))
    expect(packed(pages).length).toBeLessThan(40)
  })

  it('read one piece of a huge body without the others', () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `word${i}`).join(' ')
    const [pack, ...others] = packed(new Map([[3, bodyOf(text)]]))
    expect(others).toEqual([])
    const reader = new BodyPackReader(3, pack!.bytes)
    expect(reader.isLong).toBe(true)
    expect([...decodeText(reader.body(3)!)].join('')).toBe(text)
    expect(decodeStoredBody(reader.body(3)!, '')).toEqual(bodyOf(text))
    // The last frame is damaged, and the first piece is read all the same.
    const damaged = pack!.bytes.fill(0, pack!.bytes.length - 1000)
    const first = new BodyPackReader(3, damaged).body(3)!
    expect(Buffer.from(first.piece(0)).toString()).toBe(text.slice(0, first.piece(0).length))
    expect(() => first.piece(first.count - 1)).toThrow(corrupt)
  })

  it('lose every byte of deleted bodies, and keep the others', () => {
    fc.assert(
      fc.property(bodies, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (all, choice) => {
        const deleted = new Set([...all.keys()].filter((_, i) => choice[i]))
        const kept = new Map([...all].filter(([captureId]) => !deleted.has(captureId)))
        const read = new Map<number, Body>()
        for (const { number, captureIds, bytes } of packed(all)) {
          const left = withoutBodies(number, bytes, deleted)
          if (!left) continue
          const reader = new BodyPackReader(number, left)
          expect(reader.captureIds).toEqual(captureIds.filter(captureId => !deleted.has(captureId)))
          for (const captureId of reader.captureIds) read.set(captureId, decodeStoredBody(reader.body(captureId)!, ''))
        }
        expect(read).toEqual(kept)
      }),
      { numRuns: 60 },
    )
    const [pack] = packed(new Map([7, 8].map(captureId => [captureId, bodyOf(`text of ${captureId}`)])))
    const left = withoutBodies(7, pack!.bytes, new Set([7]))
    expect(Buffer.from(left!).toString('latin1')).toContain('text of 8')
    expect(Buffer.from(left!).toString('latin1')).not.toContain('text of 7')
    expect(withoutBodies(7, pack!.bytes, new Set([7, 8]))).toBeUndefined()
  })

  it('are corrupt wherever they are cut', () => {
    const [pack] = packed(new Map([7, 8].map(captureId => [captureId, bodyOf('words and words '.repeat(20))])))
    for (let end = 0; end < pack!.bytes.length; end++)
      expect(
        () => decodeStoredBody(new BodyPackReader(7, pack!.bytes.subarray(0, end)).body(8)!, ''),
        String(end),
      ).toThrow(corrupt)
  })
})
