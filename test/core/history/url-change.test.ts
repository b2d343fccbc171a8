import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captureAt } from '../../../core/history/current-capture.ts'
import { type ContentObservation, observationsOf } from '../../../core/history/observations.ts'
import { resolveRecord } from '../../../core/history/resolve-history.ts'
import { UrlChange } from '../../../core/history/url-change.ts'
import {
  decodeUrlRecord,
  encodeUrlRecord,
  METADATA_DIGITS,
  type UrlRecord,
} from '../../../core/store/records/url-record.ts'
import { type Arrival, type ExpectedObservation, expectedHistory } from './expected-history.ts'

interface Given {
  text: string
  metadata: string
}

/** The captures and revisions of one URL, as an index stores them. */
class StoredHistory {
  record: UrlRecord = []
  readonly captures = new Map<number, { at: number; supersededAt: number; text: string; metadata: string }>()
  readonly revisions = new Map<number, string>()
  #lastId = 0

  /** Adds a batch, and applies exactly the returned changes to what is stored. */
  enter(batch: readonly Arrival[], more: (change: UrlChange<Given>) => void = () => {}): void {
    const change = new UrlChange<Given>(decodeUrlRecord(encodeUrlRecord(this.record)))
    for (const seen of batch) {
      if (seen.kind === 'seen') change.observe(seen)
      else if (seen.kind === 'removal') change.observe({ ...seen, declared: seen.declared ?? false })
      else {
        const { at, text, metadata, declared = false } = seen
        change.observe({
          kind: 'content',
          at,
          fingerprint: hex(text, 16),
          metadata: hex(metadata, METADATA_DIGITS / 2) + hex('', METADATA_DIGITS / 2),
          declared,
          given: { text, metadata },
        })
      }
    }
    more(change)
    const changes = change.resolve(() => ++this.#lastId)
    const contentOf = ({ given, stored }: ContentObservation<Given>) => {
      if (given) return given
      const kept = this.captures.get(stored?.captureId as number)
      const revised = stored?.revisionId === undefined ? kept?.metadata : this.revisions.get(stored.revisionId)
      return { text: kept?.text as string, metadata: revised as string }
    }
    const added = changes.added.map(({ captureId, first, supersededAt }) => {
      return [captureId, { at: first.at, supersededAt, ...contentOf(first) }] as const
    })
    const revised = [...changes.added, ...changes.revised].flatMap(({ revisions }) =>
      revisions.map(({ revisionId, observation }) => [revisionId, contentOf(observation).metadata] as const),
    )
    for (const { captureId } of changes.collapsed) expect(this.captures.delete(captureId)).toBe(true)
    for (const revisionId of changes.collapsedRevisions) expect(this.revisions.delete(revisionId)).toBe(true)
    for (const [captureId, capture] of added) this.captures.set(captureId, capture)
    for (const [revisionId, metadata] of revised) this.revisions.set(revisionId, metadata)
    for (const { captureId, supersededAt } of changes.ended) {
      const kept = this.captures.get(captureId)
      if (kept) kept.supersededAt = supersededAt
    }
    this.record = changes.record
  }

  /** The record, with texts and metadata in place of the numbers of captures and revisions. */
  history(): ExpectedObservation[] {
    let [text, metadata] = ['', '']
    return this.record.map((observation): ExpectedObservation => {
      const { kind, at } = observation
      if (kind === 'seen' || kind === 'removal') return observation
      if (observation.kind === 'capture')
        ({ text, metadata } = this.captures.get(observation.captureId) as { text: string; metadata: string })
      if (observation.kind === 'revision') metadata = this.revisions.get(observation.revisionId) as string
      return { kind: observation.kind, at, text, metadata, declared: observation.declared }
    })
  }
}

function hex(text: string, digits: number): string {
  return Buffer.from(text.padStart(digits / 2)).toString('hex')
}

function keptOf(batches: readonly (readonly Arrival[])[]): StoredHistory {
  const kept = new StoredHistory()
  for (const batch of batches) kept.enter(batch)
  return kept
}

const seenAt = (at: fc.Arbitrary<number>): fc.Arbitrary<Arrival> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('content' as const),
        at,
        text: fc.constantFrom('A', 'B', 'C'),
        metadata: fc.constantFrom('m', 'n', 'o'),
        declared: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('seen' as const), at }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('removal' as const), at, declared: fc.boolean() }) },
  )
const colliding = fc.array(seenAt(fc.nat(9)), { maxLength: 12 })
const apart = fc.uniqueArray(seenAt(fc.nat(40)), { maxLength: 14, selector: ({ at }) => at })

/** Cuts a list into batches. */
function batchesOf<T>(list: readonly T[], cuts: readonly boolean[]): T[][] {
  const batches: T[][] = [[]]
  list.forEach((item, i) => {
    if (i > 0 && cuts[i % cuts.length]) batches.push([])
    batches.at(-1)?.push(item)
  })
  return batches
}

const cuts = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 })
const content = (at: number, text: string, metadata = 'm'): Arrival => ({ kind: 'content', at, text, metadata })
const kinds = (...arrivals: Arrival[]): string[] =>
  keptOf(arrivals.map(seen => [seen]))
    .history()
    .map(({ kind, at }) => `${kind} ${at}`)

/** Observes arrivals, and then that the content of an instant was there again, in one batch or two. */
function observedAgain(
  arrivals: readonly Arrival[],
  [since, at]: readonly [since: number, at: number],
  batches: number,
): [known: boolean, history: string[]] {
  const kept = new StoredHistory()
  let known = false
  const again = (change: UrlChange<Given>): void => {
    const again = change.again(since, at)
    change.observe(again ?? { kind: 'seen', at })
    known = again !== undefined
  }
  if (batches === 1) kept.enter(arrivals, again)
  else {
    kept.enter(arrivals)
    kept.enter([], again)
  }
  const shown = kept.history().map(each => `${each.kind} ${each.at}${'text' in each ? ` ${each.text}` : ''}`)
  return [known, shown]
}

describe('the history of a URL', () => {
  it('has the roles that the definition gives, in whatever batches its observations arrive', () => {
    fc.assert(
      fc.property(colliding, cuts, (arrivals, where) => {
        const kept = keptOf(batchesOf(arrivals, where))
        expect(kept.history()).toEqual(expectedHistory(arrivals))
      }),
      { numRuns: 1000 },
    )
  })

  it('is the same in whatever order its observations arrive', () => {
    fc.assert(
      fc.property(
        apart.chain(list => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        cuts,
        ([list, shuffled], where) => {
          const inOrder = keptOf([list.toSorted((a, b) => a.at - b.at)])
          expect(keptOf(batchesOf(shuffled, where)).history()).toEqual(inOrder.history())
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('stores a capture with its end for each capture in the record, a revision for each revision, and nothing else', () => {
    fc.assert(
      fc.property(colliding, cuts, (arrivals, where) => {
        const { record, captures, revisions } = keptOf(batchesOf(arrivals, where))
        const named = record.flatMap(observation => (observation.kind === 'capture' ? observation.captureId : []))
        expect([...captures.keys()].sort()).toEqual(named.toSorted())
        const revised = record.flatMap(observation => (observation.kind === 'revision' ? observation.revisionId : []))
        expect([...revisions.keys()].sort()).toEqual(revised.toSorted())
        record.forEach((observation, i) => {
          if (observation.kind !== 'capture') return
          const next = record.slice(i + 1).find(({ kind }) => kind === 'capture' || kind === 'removal')
          expect(captures.get(observation.captureId)?.supersededAt).toBe(next?.at ?? Number.POSITIVE_INFINITY)
        })
      }),
      { numRuns: 500 },
    )
  })

  it('up to T equals the history made from the observations up to T alone, for every T', () => {
    fc.assert(
      fc.property(colliding, cuts, fc.nat(9), (arrivals, where, instant) => {
        const whole = keptOf(batchesOf(arrivals, where))
          .history()
          .filter(({ at }) => at <= instant)
        const early = arrivals.filter(({ at }) => at <= instant)
        expect(whole).toEqual(keptOf(batchesOf(early, where)).history())
      }),
    )
  })

  it('has at every instant the version that a plain list of observations has', () => {
    fc.assert(
      fc.property(colliding, cuts, fc.nat(9), (arrivals, where, instant) => {
        const kept = keptOf(batchesOf(arrivals, where))
        const current = captureAt(kept.record, instant)
        const expected = expectedHistory(arrivals)
        const until = expected.filter(({ at }) => at <= instant)
        const last = until.findLast(({ kind }) => kind !== 'seen')
        if (last?.kind === 'removal' || !last) expect(current).toBeUndefined()
        else {
          const text = current && kept.captures.get(current.captureId)
          expect([text?.text, current?.revision ? kept.revisions.get(current.revision.id) : text?.metadata]).toEqual(
            'text' in last ? [last.text, last.metadata] : [],
          )
          expect(current?.lastSeenAt).toBe(until.at(-1)?.at)
          const end = expected.slice(until.length).find(({ kind }) => kind !== 'sighting' && kind !== 'seen')
          expect(current?.supersededAt).toBe(end?.at)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('turns a capture into a sighting or a revision when the same text is observed just before it', () => {
    expect(kinds(content(5, 'A'), content(3, 'A'))).toEqual(['capture 3', 'sighting 5'])
    expect(kinds(content(5, 'A'), content(3, 'A', 'n'))).toEqual(['capture 3', 'revision 5'])
    expect(kinds(content(1, 'A'), content(5, 'A', 'n'), content(3, 'A', 'n'))).toEqual([
      'capture 1',
      'revision 3',
      'sighting 5',
    ])
  })

  it('turns sightings and revisions into captures when another text is observed before them', () => {
    expect(kinds(content(1, 'A'), content(5, 'A'), content(7, 'A', 'n'), content(3, 'B'))).toEqual([
      'capture 1',
      'capture 3',
      'capture 5',
      'revision 7',
    ])
    expect(kinds(content(1, 'A'), content(5, 'A', 'n'), content(3, 'B'))).toEqual([
      'capture 1',
      'capture 3',
      'capture 5',
    ])
  })

  it('makes a new capture of the same text and metadata after a removal', () => {
    expect(kinds(content(1, 'A'), { kind: 'removal', at: 3 }, content(5, 'A'))).toEqual([
      'capture 1',
      'removal 3',
      'capture 5',
    ])
  })

  it('applies a removal to captures that are declared later as acquired before it', () => {
    const kept = keptOf([[{ kind: 'removal', at: 6 }], [content(5, 'A')]])
    expect([5, 6].map(at => captureAt(kept.record, at) !== undefined)).toEqual([true, false])
  })

  it('gives a millisecond to the observation that arrived last, and keeps nothing of the other', () => {
    const kept = keptOf([[content(5, 'A')], [content(5, 'B')]])
    const current = captureAt(kept.record, 5)
    expect([...kept.captures.values()].map(({ text }) => text)).toEqual(['B'])
    expect([...kept.captures.keys()]).toEqual([current?.captureId])
    expect(kinds(content(5, 'A'), { kind: 'removal', at: 5 })).toEqual(['removal 5'])
    expect(kinds({ kind: 'removal', at: 5 }, content(5, 'A'))).toEqual(['capture 5'])
    expect(kinds(content(5, 'A'), { kind: 'seen', at: 5 })).toEqual(['capture 5'])
    expect(kinds({ kind: 'seen', at: 5 }, content(5, 'A'))).toEqual(['capture 5'])
  })

  it('keeps the texts that only the loser of a millisecond had stored', () => {
    const kept = keptOf([[content(5, 'A'), content(7, 'A'), content(8, 'A', 'n')], [content(5, 'B')]])
    expect(kept.history().map(({ kind, at }) => `${kind} ${at}`)).toEqual(['capture 5', 'capture 7', 'revision 8'])
    expect([...kept.captures.values()].map(({ text }) => text).sort()).toEqual(['A', 'B'])
  })

  it('finds the content of an earlier instant again, in the same batch or in what is stored', () => {
    for (const batches of [1, 2]) {
      const seen = observedAgain([content(1, 'A'), content(4, 'B', 'n')], [1, 3], batches)
      expect(seen).toEqual([true, ['capture 1 A', 'sighting 3 A', 'capture 4 B']])
      expect(observedAgain([content(1, 'A'), content(4, 'B')], [1, 6], batches)[1]).toEqual([
        'capture 1 A',
        'capture 4 B',
        'capture 6 A',
      ])
      expect(observedAgain([content(1, 'A')], [2, 6], batches)).toEqual([false, ['capture 1 A', 'seen 6']])
    }
  })

  it('rejects a record whose stored roles differ from those that its observations have', () => {
    const [first, second] = keptOf([[content(1, 'A'), content(3, 'B')]]).record
    if (!first || !second) throw new Error('two observations expected')
    const same = { ...(second as Extract<typeof second, { kind: 'capture' }>), fingerprint: hex('A', 16) }
    const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
    expect(() => resolveRecord([first, same])).toThrow(corrupt)
    expect(() => observationsOf([{ kind: 'sighting', at: 1, declared: false }])).toThrow(corrupt)
  })
})
