import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EndLog } from '../../../../core/segment/standing/end-log.ts'

const anyEntry = fc.record({ ordinal: fc.nat(99), at: fc.nat(60), isEnd: fc.boolean() })
const lengths = Uint32Array.from({ length: 100 }, (_, ordinal) => ordinal * 7 + 1)

describe('a log of ends', () => {
  it('sums up the entries up to every instant, added in whatever order, asked in between or not', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyEntry, { maxLength: 40 }), { maxLength: 6 }),
        fc.boolean(),
        (rounds, isAsked) => {
          const log = new EndLog(lengths)
          const told: { ordinal: number; at: number; sign: 1 | -1 }[] = []
          for (const [round, entries] of rounds.entries()) {
            for (const { ordinal, at, isEnd } of entries) {
              const entry = { ordinal, at, sign: isEnd ? (-1 as const) : (1 as const) }
              told.push(entry)
              log.add(entry.ordinal, entry.at, entry.sign)
            }
            if (!isAsked && round < rounds.length - 1) continue
            for (let instant = -1; instant <= 61; instant++) {
              const upTo = told.filter(({ at }) => at <= instant)
              expect(log.upTo(instant)).toBe(upTo.length)
              expect(log.sums(upTo.length)).toEqual({
                captures: upTo.reduce((sum, { sign }) => sum + sign, 0),
                length: upTo.reduce((sum, { ordinal, sign }) => sum + sign * lengths[ordinal]!, 0),
              })
            }
            const sorted = told.toSorted((a, b) => a.at - b.at)
            expect(sorted.map((_, i) => [log.ordinal(i), log.sign(i)])).toEqual(
              sorted.map(one => [one.ordinal, one.sign]),
            )
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('keeps its order as long as entries come in the order of their instants', () => {
    const log = new EndLog(lengths)
    for (const at of [1, 2, 2, 5]) log.add(at, at, -1)
    const { order } = log
    for (const at of [5, 6]) log.add(at, at, -1)
    expect(log.order).toBe(order)
    log.add(9, 4, 1)
    expect(log.order).not.toBe(order)
  })
})
