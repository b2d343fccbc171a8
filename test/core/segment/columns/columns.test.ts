import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Columns,
  columnOrder,
  createColumn,
  decodeColumn,
  encodeColumn,
} from '../../../../core/segment/columns/columns.ts'
import { damage, damaged, readDamaged } from '../damage.ts'

const instant = fc.integer({ min: -8.64e15, max: 8.64e15 })
/** Nothing is acquired after now: the distance of two instants is then a whole number that a double holds. */
const past = fc.integer({ min: -8.64e15, max: 3e14 })
const sizes = { maxLength: 300 }

const columns: { [N in keyof Columns]: fc.Arbitrary<Columns[N]> } = {
  acquiredAt: fc.array(past, sizes).map(list => Float64Array.from(list).sort()),
  publishedAt: fc.array(fc.oneof(instant, fc.constant(Number.NaN)), sizes).map(list => Float64Array.from(list)),
  supersededAt: fc
    .array(fc.oneof(instant, fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)), sizes)
    .map(list => Float64Array.from(list)),
  lengths: fc.uint32Array(sizes),
  captureIds: fc.uint32Array(sizes),
  declared: fc.uint8Array(sizes),
}

describe('a column', () => {
  for (const name of columnOrder) {
    it(`${name} reads back as written`, () => {
      fc.assert(
        fc.property(columns[name], values => {
          expect(decodeColumn(name, encodeColumn(name, values), values.length)).toEqual(values)
        }),
      )
    })

    it(`${name} fails as corrupt when it is cut or holds another count`, () => {
      fc.assert(
        fc.property(columns[name], fc.nat(), (values, seed) => {
          const bytes = encodeColumn(name, values)
          const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
          expect(() => decodeColumn(name, bytes.subarray(0, seed % bytes.length), values.length)).toThrow(corrupt)
          expect(() => decodeColumn(name, bytes, values.length + 1)).toThrow(corrupt)
        }),
        { numRuns: 50 },
      )
    })
  }

  it('fails only as corrupt if it is damaged', () => {
    fc.assert(
      fc.property(columns.acquiredAt, damage, (values, done) => {
        const bytes = damaged(encodeColumn('acquiredAt', values), done)
        readDamaged(() => decodeColumn('acquiredAt', bytes, values.length))
      }),
    )
  })

  it('is rejected as newer if a newer asof wrote it', () => {
    const bytes = encodeColumn('lengths', Uint32Array.of(1, 2))
    bytes[0] = 2
    expect(() => decodeColumn('lengths', bytes, 2)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_FORMAT' }))
  })

  it('does not decompress beyond the size for its captures', () => {
    const bytes = encodeColumn('declared', new Uint8Array(1_000_000))
    bytes.set([1, 10])
    const forged = Uint8Array.of(1, 10, ...bytes.subarray(4))
    expect(() => decodeColumn('declared', forged, 10)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
  })

  it('is created as current, undated and empty', () => {
    expect(createColumn('supersededAt', 2)).toEqual(Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY))
    expect(createColumn('publishedAt', 1)).toEqual(Float64Array.of(Number.NaN))
    expect(createColumn('lengths', 2)).toEqual(new Uint32Array(2))
  })
})
