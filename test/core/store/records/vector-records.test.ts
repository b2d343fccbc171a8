import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeModels,
  decodeVector,
  encodeModels,
  encodeVector,
} from '../../../../core/store/records/vector-records.ts'

const count = fc.nat()
const model = fc.record({ id: count, model: fc.string(), dimensions: count, vectors: count, late: count })
const text = (value: unknown) => Buffer.from(JSON.stringify(value))

describe('the vector records', () => {
  it('read back as written', () => {
    fc.assert(
      fc.property(fc.int8Array({ minLength: 1 }), fc.array(model), (vector, models) => {
        expect(decodeVector(encodeVector(vector))).toEqual(vector)
        expect(decodeModels(encodeModels(models))).toEqual(models)
      }),
    )
  })

  it('reject a newer version as newer, and other bytes as corrupt', () => {
    expect(() => decodeVector(Uint8Array.of(2, 1))).toThrow('upgrade asof')
    expect(() => decodeModels(text({ version: 2, models: [] }))).toThrow('upgrade asof')
    for (const bytes of [Uint8Array.of(), Uint8Array.of(1), Uint8Array.of(0, 1)])
      expect(() => decodeVector(bytes)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    for (const value of [null, {}, { version: 1 }, { version: 1, models: [{ id: 1 }] }, { version: 1, models: [null] }])
      expect(() => decodeModels(text(value))).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    expect(() => decodeModels(Buffer.from('{'))).toThrow('not JSON')
  })
})
