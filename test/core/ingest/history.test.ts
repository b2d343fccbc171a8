import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  currentAt,
  type HistoryChange,
  observeContent,
  observeRemoval,
  observeSighting,
} from '../../../core/ingest/history.ts'
import type { UrlRecord } from '../../../core/store/url-record.ts'

/** Something seen at one URL, in the order of arrival. */
type Event = { kind: 'content'; at: number; content: string } | { kind: 'sighting' | 'removal'; at: number }

interface CaptureState {
  at: number
  supersededAt: number
  content: string
}

/** A record with the captures that it made, as an index would keep them. */
class History {
  readonly record: UrlRecord = []
  readonly captures = new Map<number, CaptureState>()
  #nextId = 1

  observe(event: Event): string {
    const change = this.#change(event)
    for (const { captureId, at, supersededAt, sameAs } of change.captures) {
      const repeated = sameAs && this.captures.get(sameAs.captureId)
      if (sameAs) expect(repeated?.at).toBe(sameAs.acquiredAt)
      const content = repeated ? repeated.content : event.kind === 'content' ? event.content : ''
      this.captures.set(captureId, { at, supersededAt, content })
    }
    for (const { captureId, acquiredAt, supersededAt } of change.superseded) {
      const capture = this.captures.get(captureId)
      expect(capture?.at).toBe(acquiredAt)
      if (capture) capture.supersededAt = supersededAt
    }
    return change.outcome
  }

  #change(event: Event): HistoryChange {
    if (event.kind === 'content') return observeContent(this.record, event.at, event.content, () => this.#nextId++)
    return event.kind === 'removal' ? observeRemoval(this.record, event.at) : observeSighting(this.record, event.at)
  }

  /** The record up to `at`, without the numbers that captures were given. */
  until(at: number): unknown[] {
    return this.record
      .filter(observation => observation.at <= at)
      .map(observation =>
        observation.kind === 'capture'
          ? { kind: 'capture', at: observation.at, content: observation.fingerprint }
          : observation,
      )
  }

  /** What the index would answer as of `at`: captures acquired by then and not superseded. */
  currentContents(at: number): string[] {
    return [...this.captures.values()]
      .filter(capture => capture.at <= at && capture.supersededAt > at)
      .map(({ content }) => content)
  }
}

/** By time, then arrival: what was there last decides. Removals and sightings of what is absent say nothing. */
class NaiveHistory {
  readonly #events: { at: number; content: string | undefined }[] = []

  observe(event: Event): void {
    const before = this.contentAt(event.at)
    if (event.kind === 'content') this.#insert(event.at, event.content)
    else if (before !== undefined) this.#insert(event.at, event.kind === 'removal' ? undefined : before)
  }

  contentAt(at: number): string | undefined {
    return this.#events.findLast(event => event.at <= at)?.content
  }

  lastSeenAt(at: number): number | undefined {
    return this.#events.findLast(event => event.at <= at)?.at
  }

  #insert(at: number, content: string | undefined): void {
    const index = this.#events.findIndex(event => event.at > at)
    this.#events.splice(index < 0 ? this.#events.length : index, 0, { at, content })
  }
}

const LAST = 12
const moments = Array.from({ length: LAST + 2 }, (_, at) => at - 1)

/** Arrivals in any order of time; only a removal, which the engine stamps, is never before what is known. */
const arrivals = fc
  .array(
    fc.record({
      kind: fc.constantFrom('content', 'content', 'content', 'sighting', 'removal'),
      at: fc.integer({ min: 0, max: LAST }),
      content: fc.constantFrom('A', 'B', 'C'),
    }),
    { maxLength: 14 },
  )
  .map(list => {
    let latest = 0
    return list.map(({ kind, at, content }): Event => {
      const then = kind === 'removal' ? Math.max(at, latest) : at
      latest = Math.max(latest, then)
      return kind === 'content' ? { kind, at: then, content } : { kind: kind as 'sighting' | 'removal', at: then }
    })
  })

function historyOf(events: readonly Event[]): History {
  const history = new History()
  for (const event of events) history.observe(event)
  return history
}

const content = (at: number, text: string): Event => ({ kind: 'content', at, content: text })

describe('the history of a URL', () => {
  it('up to T is the one that only the observations up to T would have made, for every T and order of arrival', () => {
    fc.assert(
      fc.property(arrivals, events => {
        const whole = historyOf(events)
        for (const at of moments) {
          const partial = historyOf(events.filter(event => event.at <= at))
          expect(whole.until(at)).toEqual(partial.until(at))
          expect(whole.currentContents(at)).toEqual(partial.currentContents(at))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('agrees at every moment with a plain list of what was seen when', () => {
    fc.assert(
      fc.property(arrivals, events => {
        const history = historyOf(events)
        const naive = new NaiveHistory()
        for (const event of events) naive.observe(event)
        for (const at of moments) {
          const expected = naive.contentAt(at)
          expect(history.currentContents(at)).toEqual(expected === undefined ? [] : [expected])
          const current = currentAt(history.record, at)
          expect(current && history.captures.get(current.captureId)?.content).toBe(expected)
          if (current) expect(current.lastSeenAt).toBe(naive.lastSeenAt(at))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is ordered by time, and each capture in it ends where the next capture or removal is', () => {
    fc.assert(
      fc.property(arrivals, events => {
        const { record, captures } = historyOf(events)
        for (let i = 1; i < record.length; i++) expect(record[i].at).toBeGreaterThanOrEqual(record[i - 1].at)
        record.forEach((observation, i) => {
          if (observation.kind !== 'capture') return
          const next = record.slice(i + 1).find(({ kind }) => kind !== 'sighting')
          expect(captures.get(observation.captureId)?.supersededAt).toBe(next?.at ?? Number.POSITIVE_INFINITY)
        })
        expect(record.filter(({ kind }) => kind === 'capture').length).toBe(captures.size)
      }),
    )
  })

  it('takes the same content again for a sighting, once per millisecond', () => {
    const history = historyOf([content(1, 'A')])
    expect([content(3, 'A'), content(3, 'A'), content(1, 'A')].map(event => history.observe(event))).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ])
    expect(history.until(9)).toEqual([
      { kind: 'capture', at: 1, content: 'A' },
      { kind: 'sighting', at: 3 },
    ])
    expect(currentAt(history.record, 2)).toEqual({ captureId: 1, at: 1, lastSeenAt: 1 })
    expect(currentAt(history.record, 3)).toEqual({ captureId: 1, at: 1, lastSeenAt: 3 })
    expect(currentAt(history.record, 0)).toBeUndefined()
  })

  it('lets old content resurface as a capture of its own when other content is declared before a sighting of it', () => {
    const history = historyOf([content(1, 'A'), content(5, 'A'), content(7, 'A'), content(3, 'B')])
    expect(history.until(9)).toEqual([
      { kind: 'capture', at: 1, content: 'A' },
      { kind: 'capture', at: 3, content: 'B' },
      { kind: 'capture', at: 5, content: 'A' },
      { kind: 'sighting', at: 7 },
    ])
    expect([2, 4, 6].map(at => history.currentContents(at))).toEqual([['A'], ['B'], ['A']])
  })

  it('gives a millisecond to the observation that arrived last', () => {
    const history = historyOf([content(5, 'A'), content(5, 'B')])
    expect(history.currentContents(5)).toEqual(['B'])
    history.observe({ kind: 'removal', at: 5 })
    expect(history.currentContents(5)).toEqual([])
    history.observe(content(5, 'C'))
    expect(history.currentContents(5)).toEqual(['C'])
    expect(history.currentContents(4)).toEqual([])
  })

  it('makes content after a removal a capture even when it is the same', () => {
    const history = historyOf([content(1, 'A'), { kind: 'removal', at: 3 }])
    expect(history.observe(content(5, 'A'))).toBe('captured')
    expect([2, 3, 4, 5].map(at => history.currentContents(at))).toEqual([['A'], [], [], ['A']])
  })

  it('takes no note of the removal or sighting of what is absent', () => {
    const history = new History()
    expect(history.observe({ kind: 'removal', at: 3 })).toBe('absent')
    expect(history.observe({ kind: 'sighting', at: 3 })).toBe('absent')
    expect(history.record).toEqual([])
    history.observe(content(4, 'A'))
    expect(history.observe({ kind: 'sighting', at: 3 })).toBe('absent')
    expect(history.observe({ kind: 'removal', at: 5 })).toBe('removed')
    expect(history.observe({ kind: 'removal', at: 6 })).toBe('absent')
    expect(history.observe({ kind: 'sighting', at: 6 })).toBe('absent')
  })
})
