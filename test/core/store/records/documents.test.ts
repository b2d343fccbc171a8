import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { writeFields } from '../../../../core/fields/field-values.ts'
import { type TermVector, VECTOR_TERMS, writeTermVector } from '../../../../core/segment/term-vector.ts'
import {
  type Body,
  decodeBodyBeginning,
  decodeFirstText,
  decodeHead,
  decodeStoredBody,
  decodeTermVector,
  decodeText,
  encodeBody,
  encodeDocument,
  encodedParts,
} from '../../../../core/store/records/documents.ts'
import { datePrecisions, dateSources } from '../../../../extract/page.ts'

const text = fc.string({ unit: 'binary' }).map(value => value.toWellFormed())
const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

const bodies: fc.Arbitrary<Body> = fc.record({
  details: fc.record(
    {
      author: text,
      description: text,
      lang: text,
      siteName: text,
      publishedFrom: fc.record({
        source: fc.constantFrom(...dateSources),
        precision: fc.constantFrom(...datePrecisions),
      }),
      data: fc.array(fc.dictionary(fc.string(), fc.constantFrom(1, 'x', null, [1]), { noNullPrototype: true })),
      fields: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.constantFrom('x', 1, true, { at: 5 }, ['x']), {
        noNullPrototype: true,
      }),
    },
    { requiredKeys: [] },
  ),
  markdown: text,
  text,
})

const vectors: fc.Arbitrary<TermVector> = fc
  .array(fc.tuple(fc.nat(65_535), fc.integer({ min: 1, max: 255 })), { maxLength: VECTOR_TERMS })
  .map(pairs => ({
    hashes: Uint16Array.from(pairs, ([hash]) => hash),
    frequencies: Uint8Array.from(pairs, ([, frequency]) => frequency),
  }))

function written(vector: TermVector): Uint8Array {
  const writer = new ByteWriter(1)
  writeTermVector(vector, writer)
  return writer.finish()
}

function encoded(body: Body): Uint8Array {
  const writer = new ByteWriter(1)
  encodeBody(body, writer)
  return writer.finish()
}

describe('a document record', () => {
  it('reads back as written', () => {
    fc.assert(
      fc.property(text, text, text, vectors, (url, title, values, vector) => {
        const record = encodeDocument({ url, title, language: 'de', values }, written(vector), 255)
        expect(decodeHead(record)).toEqual({ texts: { url, title, language: 'de', values }, afterPack: 255 })
        expect(decodeTermVector(record)).toEqual(vector)
      }),
    )
  })

  it('is corrupt wherever it is cut', () => {
    const vector = { hashes: Uint16Array.of(7, 65_535), frequencies: Uint8Array.of(1, 255) }
    const texts = { url: 'https://a.example/', title: 'é', language: 'en', values: '{"a":1}' }
    const record = encodeDocument(texts, written(vector), 0)
    const vectorAt = record.length - written(vector).length
    for (let end = 0; end < vectorAt; end++)
      expect(() => decodeHead(record.slice(0, end)), String(end)).toThrow(corrupt)
    for (let end = 0; end < record.length; end++)
      expect(() => decodeTermVector(record.slice(0, end)), String(end)).toThrow(corrupt)
  })
})

describe('a body', () => {
  it('reads back as written, as a whole and in parts', () => {
    fc.assert(
      fc.property(bodies, body => {
        const bytes = encodedParts(encoded(body))
        expect(decodeStoredBody(bytes, writeFields(body.details.fields))).toEqual(body)
        expect([...decodeText(bytes)].join('')).toBe(body.text)
        for (const units of [0, 1, 100, 70_000]) {
          const { details, markdown } = decodeBodyBeginning(bytes, writeFields(body.details.fields), units)
          expect([details, markdown]).toEqual([body.details, body.markdown.slice(0, units)])
        }
        expect(decodeFirstText(bytes)).toBe([...decodeText(bytes)][0] ?? '')
      }),
      { numRuns: 300 },
    )
  })

  it('appends to what the buffer holds already', () => {
    const body = { details: {}, markdown: '*a*', text: 'a' }
    const writer = new ByteWriter(1)
    writer.raw(Uint8Array.of(1, 2, 3))
    encodeBody(body, writer)
    expect(decodeStoredBody(encodedParts(writer.finish().subarray(3)), '')).toEqual(body)
  })

  it('keeps a leading U+FEFF', () => {
    const body = { details: {}, markdown: '\ufeffx', text: '\ufeffx' }
    expect(decodeStoredBody(encodedParts(encoded(body)), '')).toEqual(body)
  })

  it('is corrupt wherever it is cut', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, seed) => {
        const bytes = encoded(body)
        expect(() => decodeStoredBody(encodedParts(bytes.subarray(0, seed % bytes.length)), '')).toThrow(corrupt)
      }),
    )
  })

  it('is corrupt if its publish date has an unknown provenance', () => {
    const body = (provenance: number) => encodedParts(Uint8Array.of(0, 4, provenance, 0, 0, 0))
    expect(decodeStoredBody(body(5), '').details).toEqual({ publishedFrom: { source: 'json-ld', precision: 'year' } })
    for (const unknown of [6, 1 + 8 * dateSources.length, 255])
      expect(() => decodeStoredBody(body(unknown), '')).toThrow(corrupt)
  })

  it('is corrupt if its text is not UTF-8 or its details are not JSON', () => {
    expect(() => [...decodeText(encodedParts(Uint8Array.of(1, 1, 0, 0xff)))]).toThrow(corrupt)
    expect(() => decodeStoredBody(encodedParts(Uint8Array.of(0, 5, 0, 1, 0x7b, 0, 0)), '')).toThrow(
      'details are not JSON',
    )
  })

  it('splits a huge text into pieces, between words if possible', () => {
    const pieces = (body: string) => [...decodeText(encodedParts(encoded({ details: {}, markdown: '', text: body })))]
    const prose = 'words of all lengths and a line\n'.repeat(8000)
    const ofProse = pieces(prose)
    expect(ofProse.join('')).toBe(prose)
    expect(ofProse.length).toBeGreaterThan(2)
    for (const piece of ofProse) {
      expect(piece).toMatch(/[ \n]$/)
      expect(piece.length).toBeLessThanOrEqual(65_536)
    }
    for (const shift of ['', 'x']) {
      const endless = shift + '😀'.repeat(50_000)
      expect(pieces(endless).join('')).toBe(endless)
      for (const piece of pieces(endless)) expect(piece.isWellFormed()).toBe(true)
    }
    expect(pieces('')).toEqual([])
  })
})
