import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { EndOrder } from '../../../../core/segment/standing/end-order.ts'
import { StandingList } from '../../../../core/segment/standing/standing-list.ts'
import { StandingWriter } from '../../../../core/segment/standing/standing-writer.ts'

const NONE = Number.POSITIVE_INFINITY

interface Capture {
  acquiredAt: number
  supersededAt: number
  /** Bit t is set if the capture holds the term t. */
  terms: number
}

const TERMS = 5

/** Pages that are captured again and again: a capture mostly ends when the next one of its page is acquired, often at an instant of others. */
const anyHistory: fc.Arbitrary<Capture[]> = fc
  .array(
    fc.record({
      times: fc.array(fc.oneof(fc.nat(30), fc.nat(3_000)), { minLength: 1, maxLength: 12 }),
      terms: fc.infiniteStream(fc.oneof({ weight: 3, arbitrary: fc.constant(2 ** TERMS - 1) }, fc.nat(2 ** TERMS - 1))),
      lastEnd: fc.oneof(fc.constantFrom(3_100, 3_500), fc.constant(NONE), fc.constant(Number.NEGATIVE_INFINITY)),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map(pages =>
    pages
      .flatMap(({ times, terms, lastEnd }) => {
        const ascending = [...new Set(times)].sort((a, b) => a - b)
        return ascending.map((acquiredAt, i): Capture => {
          const supersededAt = ascending[i + 1] ?? lastEnd
          return { acquiredAt, supersededAt, terms: terms.next().value as number }
        })
      })
      .sort((a, b) => a.acquiredAt - b.acquiredAt),
  )

function writerOf(captures: readonly Capture[]): { writer: StandingWriter; order: EndOrder } | undefined {
  const column = (name: 'acquiredAt' | 'supersededAt'): Float64Array => Float64Array.from(captures, one => one[name])
  const order = EndOrder.of(column('supersededAt'), new Uint32Array(captures.length))
  return order && { order, writer: new StandingWriter(column('acquiredAt'), order) }
}

/** Compares the standing list of each term with counting one by one, at and around each instant at which something happens. */
function check(captures: readonly Capture[]): void {
  const made = writerOf(captures)
  if (!made) return
  const { writer, order } = made
  const instants = new Set(captures.flatMap(({ acquiredAt, supersededAt }) => [acquiredAt, supersededAt]))
  const out = new ByteWriter()
  for (let term = 0; term < TERMS; term++) {
    const ordinals = [...captures.keys()].filter(i => (captures[i]!.terms >>> term) & 1)
    // The array is longer than the list. The writer must not read what is behind the list.
    const padded = Uint32Array.of(...ordinals, 4_000_000_000)
    out.clear()
    const ended = writer.write(padded, ordinals.length, out)
    expect(ended).toBe(ordinals.filter(i => order.ordinals.includes(i)).length)
    if (ended === 0) {
      expect(out.length).toBe(0)
      continue
    }
    expect(out.length % 4).toBe(0)
    const list = StandingList.decode(out.finish(), ordinals.length, ended)
    expect(list.endedBelow(ordinals.length, order.size)).toBe(ended)
    for (const near of instants)
      for (const instant of [near - 1, near, near + 1]) {
        if (!Number.isFinite(instant)) continue
        const k = ordinals.filter(i => captures[i]!.acquiredAt <= instant).length
        // A tombstone has not ended: its segment knows that it is one.
        const standing = ordinals.filter(i => {
          const { acquiredAt, supersededAt } = captures[i]!
          return acquiredAt <= instant && (supersededAt > instant || supersededAt === Number.NEGATIVE_INFINITY)
        })
        expect(k - list.endedBelow(k, order.upTo(instant)), `term ${term} at ${instant}`).toBe(standing.length)
      }
  }
}

describe('the writer of standing lists', () => {
  it('writes lists that count what stood at every instant', () => {
    fc.assert(fc.property(anyHistory, check), { numRuns: 120 })
  })

  it('counts right with captures in large numbers, and many of one instant', () => {
    let state = 1
    const draw = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    for (const [step, removedAt] of [
      [1, NONE],
      [40, 9_000],
    ] as const) {
      const captures = Array.from({ length: 60 }, () => {
        const times = [...new Set(Array.from({ length: 1 + draw(60) }, () => Math.floor(draw(8_000) / step) * step))]
        times.sort((a, b) => a - b)
        return times.map((acquiredAt, i) => {
          return {
            acquiredAt,
            supersededAt: times[i + 1] ?? removedAt,
            terms: draw(6) === 0 ? draw(2 ** TERMS) : 2 ** TERMS - 1,
          }
        })
      }).flat()
      check(captures.sort((a, b) => a.acquiredAt - b.acquiredAt))
    }
  })

  it('writes the same list after any other', () => {
    fc.assert(
      fc.property(anyHistory, captures => {
        const [first, again] = [writerOf(captures), writerOf(captures)]
        if (!first || !again) return
        const everything = Uint32Array.from(captures.keys())
        const evens = everything.filter(ordinal => ordinal % 2 === 0)
        const [alone, after] = [new ByteWriter(), new ByteWriter()]
        first.writer.write(evens, evens.length, alone)
        again.writer.write(everything, everything.length, new ByteWriter())
        again.writer.write(evens, evens.length, after)
        expect(after.finish()).toEqual(alone.finish())
      }),
    )
  })
})
