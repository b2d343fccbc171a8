import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeBody,
  decodeBodyBlock,
  decodeDocument,
  encodeBody,
  encodeBodyBlock,
  encodeDocument,
} from '../../../core/store/documents.ts'

const text = fc.string({ unit: 'binary' }).map(value => value.toWellFormed())
const u32 = fc.integer({ min: 0, max: 0xffff_ffff })
const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

const bodies = fc.record({
  details: fc.record(
    {
      author: text,
      description: text,
      lang: text,
      publishedFrom: fc.constant({ source: 'meta' as const, precision: 'day' as const }),
      data: fc.array(fc.dictionary(fc.string(), fc.constantFrom(1, 'x', null, [1]), { noNullPrototype: true })),
    },
    { requiredKeys: [] },
  ),
  markdown: text,
  samples: fc.array(fc.tuple(u32, u32)).map(pairs => {
    const positions = pairs.map(([position]) => position).sort((a, b) => a - b)
    const offsets = pairs.map(([, offset]) => offset).sort((a, b) => a - b)
    return Uint32Array.from(positions.flatMap((position, i) => [position, offsets[i]]))
  }),
})

describe('a document record', () => {
  it('reads back as written', () => {
    fc.assert(
      fc.property(
        text,
        text,
        u32,
        u32,
        u32,
        fc.nat(1000),
        (url, title, titlePositions, bodyBlock, bodyIndex, ahead) => {
          const record = { url, title, titlePositions, bodyBlock, bodyIndex }
          const captureId = bodyBlock + ahead
          expect(decodeDocument(captureId, encodeDocument(captureId, record))).toEqual(record)
        },
      ),
    )
  })

  it('is corrupt wherever it is cut', () => {
    const bytes = encodeDocument(9, {
      url: 'https://a.example/',
      title: 'é',
      titlePositions: 1,
      bodyBlock: 3,
      bodyIndex: 6,
    })
    for (let end = 0; end < bytes.length; end++)
      expect(() => decodeDocument(9, bytes.subarray(0, end)), String(end)).toThrow(corrupt)
  })
})

describe('a body', () => {
  it('reads back as written', () => {
    fc.assert(
      fc.property(bodies, body => {
        expect(decodeBody(encodeBody(body))).toEqual(body)
      }),
    )
  })

  it('is corrupt wherever it is cut', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, seed) => {
        const bytes = encodeBody(body)
        expect(() => decodeBody(bytes.subarray(0, seed % bytes.length))).toThrow(corrupt)
      }),
    )
  })

  it('is corrupt when its details are no JSON or its samples more than it has room for', () => {
    expect(() => decodeBody(Uint8Array.of(1, 0x7b, 0, 0))).toThrow(corrupt)
    expect(() => decodeBody(Uint8Array.of(2, 0x7b, 0x7d, 0, 255, 255, 255, 255, 255, 255, 1))).toThrow(corrupt)
  })
})

describe('a body block', () => {
  it('reads back as written, purged bodies as empty', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array()), async list => {
        const read = decodeBodyBlock(await encodeBodyBlock(list))
        expect(read.map(bytes => [...bytes])).toEqual(list.map(bytes => [...bytes]))
      }),
    )
  })

  it('is corrupt wherever it is cut', async () => {
    const bytes = await encodeBodyBlock([Buffer.from('one body'), Buffer.from('and another '.repeat(20))])
    for (let end = 0; end < bytes.length; end++)
      expect(() => decodeBodyBlock(bytes.subarray(0, end)), String(end)).toThrow(corrupt)
  })
})
