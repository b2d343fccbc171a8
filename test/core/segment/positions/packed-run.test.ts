import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { RunReader, writeRun } from '../../../../core/segment/positions/packed-run.ts'
import { damage, damaged, readDamaged } from '../damage.ts'

const value = fc.oneof(
  { weight: 20, arbitrary: fc.nat(700) },
  { weight: 2, arbitrary: fc.nat(70_000) },
  { weight: 1, arbitrary: fc.integer({ min: 2 ** 24 - 2, max: 2 ** 32 - 2 }) },
)
const runs = fc.oneof(
  fc.array(value, { maxLength: 300 }),
  fc.tuple(fc.nat(300), fc.nat(300)).map(([length, same]) => Array.from({ length }, () => same)),
)

function written(values: readonly number[], before = 0): Uint8Array {
  const out = new ByteWriter(1)
  out.raw(new Uint8Array(before))
  writeRun(Uint32Array.from([...values, 12345]), values.length, out)
  return out.finish()
}

function one(run: RunReader, index: number): number {
  const out = new Uint32Array(1)
  run.read(index, index + 1, out)
  return out[0]!
}

describe('a run of packed integers', () => {
  it('reads back as written, in any order and at any offset', () => {
    fc.assert(
      fc.property(runs, fc.nat(5), fc.nat(), (values, at, seed) => {
        const run = new RunReader()
        run.open(written(values, at), at, values.length)
        for (let n = 0; n < values.length; n++) {
          const i = (n * 89 + seed) % values.length
          expect(one(run, i)).toBe(values[i])
        }
      }),
    )
  })

  it('takes little more space for a few large integers', () => {
    const values = Array.from({ length: 200 }, (_, i) => i)
    const size = written(values).length
    values[100] = 100_000
    expect(written(values).length).toBeLessThanOrEqual(size + 4)
    expect(written([]).length).toBe(0)
  })

  it('does not store the lower bits if they are zero in all integers', () => {
    const values = Array.from({ length: 200 }, (_, i) => (i % 50) * 16)
    const size = written(values).length
    expect(size).toBeLessThanOrEqual(1 + (200 * 6) / 8)
    const run = new RunReader()
    run.open(written(values), 0, values.length)
    expect(values.map((_, i) => one(run, i))).toEqual(values)
    expect(written([...values.slice(1), 1]).length).toBeGreaterThan(size)
  })

  it('fails only as corrupt if it is damaged', () => {
    fc.assert(
      fc.property(runs, damage, (values, done) => {
        readDamaged(() => {
          const run = new RunReader()
          run.open(damaged(written(values), done), 0, values.length)
          for (let i = values.length - 1; i >= 0; i--) one(run, i)
        })
      }),
      { numRuns: 500 },
    )
  })

  it('is corrupt if it is too short for the number of its integers, or has an impossible width', () => {
    const bytes = written([1, 2, 3, 4])
    const run = new RunReader()
    const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
    expect(() => run.open(bytes, 0, 40)).toThrow(corrupt)
    expect(() => run.open(bytes, 0, Number.MAX_SAFE_INTEGER)).toThrow(corrupt)
    expect(() => run.open(Uint8Array.of(0, 1, 2, 3), 0, 4)).toThrow(corrupt)
    expect(() => run.open(Uint8Array.of(25, ...new Uint8Array(20)), 0, 4)).toThrow(corrupt)
  })
})
