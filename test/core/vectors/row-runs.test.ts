import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RowRuns } from '../../../core/vectors/row-runs.ts'

/** For each capture of a segment its row, -1 for none. Some are in the order of their captures, some in any. */
const rows = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 100 }),
  fc
    .array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 150 })
    .map(steps => steps.map(([hasRow, isApart], i) => (hasRow ? i + (isApart ? 200 : 0) : -1))),
)

describe('the rows of the captures of a segment', () => {
  it('are marked for captures that stand, and lead back to their captures', () => {
    fc.assert(
      fc.property(rows, fc.nat(160), fc.uniqueArray(fc.nat(160)), (all, end, gone) => {
        const captureIds = Uint32Array.from(all, (_, ordinal) => 1000 + ordinal)
        const runs = new RowRuns(captureIds, captureId => all[captureId - 1000]!)
        const ordinalEnd = Math.min(end, all.length)
        const ended = gone.filter(ordinal => ordinal < ordinalEnd).sort((a, b) => a - b)
        const bits = new Uint32Array(16)
        const count = runs.mark({ captureIds, ordinalEnd, eachEnded: visit => ended.forEach(visit) }, bits)
        const expected = all.filter((row, ordinal) => row >= 0 && ordinal < ordinalEnd && !ended.includes(ordinal))
        const marked = Array.from({ length: 512 }, (_, row) => row).filter(row => bits[row >>> 5]! & (1 << (row & 31)))
        expect(marked).toEqual([...expected].sort((a, b) => a - b))
        expect(count).toBe(expected.length)
        expect(runs.isComplete).toBe(!all.includes(-1))
        for (let row = 0; row < 512; row++) expect(runs.ordinalAt(row)).toBe(all.indexOf(row))
      }),
    )
  })

  it('are those that a table names if it guesses the next row', () => {
    const guesses: number[] = []
    const runs = new RowRuns(Uint32Array.of(5, 6, 7), (captureId, likely) => {
      guesses.push(likely)
      return captureId + 10
    })
    expect(guesses).toEqual([0, 16, 17])
    expect([15, 16, 17, 18].map(row => runs.ordinalAt(row))).toEqual([0, 1, 2, -1])
  })
})
