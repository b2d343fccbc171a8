import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { bodyKey, bodyRange } from '../../../../core/store/keys.ts'
import { BodyPackReader, packBodies } from '../../../../core/store/records/body-pack.ts'
import { deleteBodies } from '../../../../core/store/records/delete-bodies.ts'
import { decodeStoredBody, encodeBody } from '../../../../core/store/records/documents.ts'
import type { StoredValues } from '../../../../core/store/store-reader.ts'

function packOfTexts(texts: Readonly<Record<number, string>>) {
  const encoded = Object.entries(texts).map(([captureId, text]) => {
    const writer = new ByteWriter(64)
    encodeBody({ details: {}, markdown: text, text }, writer)
    return { captureId: Number(captureId), bytes: writer.finish() }
  })
  return [...packBodies(encoded)][0]!
}

const first = packOfTexts({ 7: 'text of 7', 8: 'text of 8', 9: 'text of 9' })
const second = packOfTexts({ 20: 'text of 20' })

/** The values of a store with both packs. */
function stored(): StoredValues {
  const packs = [first, second]
  return {
    get: key => packs.find(({ number }) => Buffer.compare(bodyKey(number), key) === 0)?.bytes,
    head: captureId => {
      const pack = packs.find(({ captureIds }) => captureIds.includes(captureId))
      const texts = { url: 'https://a.example/', title: '', language: '', values: '' }
      return pack && { texts, afterPack: captureId - pack.number }
    },
    termVector: () => {
      throw new Error('a deletion reads no term vector')
    },
    body: () => {
      throw new Error('a deletion reads no single body')
    },
    text: () => {
      throw new Error('a deletion reads no text')
    },
    rest: () => {
      throw new Error('a deletion reads no details')
    },
    chunks: () => {
      throw new Error('a deletion reads no segment')
    },
  }
}

describe('the deletion of bodies', () => {
  it('writes a pack again without them, and names the old one as waste', async () => {
    const { operations, waste, wasteBytes } = await deleteBodies(stored(), [8])
    expect(operations).toEqual([{ type: 'put', key: bodyKey(7), value: expect.any(Uint8Array) }])
    const [written] = operations
    const left = new BodyPackReader(7, written?.type === 'put' ? written.value : new Uint8Array(0))
    expect(left.captureIds).toEqual([7, 9])
    expect(left.captureIds.map(captureId => decodeStoredBody(left.body(captureId)!, '').text)).toEqual([
      'text of 7',
      'text of 9',
    ])
    expect([waste, wasteBytes]).toEqual([[bodyRange(7)], first.bytes.length])
  })

  it('deletes a pack of which no body is left, once', async () => {
    const { operations, waste, wasteBytes } = await deleteBodies(stored(), [7, 8, 9, 20])
    expect(operations).toEqual([
      { type: 'del', key: bodyKey(7) },
      { type: 'del', key: bodyKey(20) },
    ])
    expect([waste, wasteBytes]).toEqual([[bodyRange(7), bodyRange(20)], first.bytes.length + second.bytes.length])
  })

  it('has nothing to do for captures that are not stored', async () => {
    expect(await deleteBodies(stored(), [99])).toEqual({ operations: [], waste: [], wasteBytes: 0 })
  })
})
