import { describe, expect, it } from 'vitest'
import { columnOrder } from '../../../core/segment/columns/columns.ts'
import { STANDING_STORED_FROM, type TermEntry } from '../../../core/segment/dictionary/dictionary-format.ts'
import { EndOrder } from '../../../core/segment/standing/end-order.ts'
import { StandingList } from '../../../core/segment/standing/standing-list.ts'
import { readRange, Stream } from '../../../core/segment/streams.ts'
import type { MemoryChunks } from './memory-chunks.ts'
import { type NaiveCapture, writeSegment } from './naive-index.ts'

const CAPTURES = 1_000
/** One term that every capture holds, and one for each of these steps, which every nth capture holds. */
const steps = [2, 7, 8, 400]

const captures = Array.from({ length: CAPTURES }, (_, i): NaiveCapture => {
  const held = steps.filter(step => i % step === 0).map((step): [string, number[]] => [`every ${step}`, [1]])
  return {
    captureId: i + 1,
    url: `https://example.com/${i % 100}`,
    acquiredAt: i * 10,
    publishedAt: Number.NaN,
    declared: false,
    terms: new Map([['everywhere', [0]], ...held]),
  }
})
/** Each page is captured every 100 captures, and every sixth page was removed in the end. */
const supersededAt = captures.map((_, i) => {
  if (i + 100 < CAPTURES) return (i + 100) * 10
  return i % 6 === 0 ? CAPTURES * 10 + i : Number.POSITIVE_INFINITY
})

function listOf(chunks: MemoryChunks, { count, ended, standingAt, standingBytes }: TermEntry): StandingList {
  return StandingList.decode(readRange(chunks, Stream.standing, standingAt, standingBytes), count, ended)
}

describe('the writer of a segment', () => {
  it('writes a standing list for each long enough list with a capture that had ended', () => {
    const { segment, chunks } = writeSegment(1, captures, supersededAt)
    const order = EndOrder.of(segment.columns.supersededAt, segment.columns.lengths)!
    const entries = [...segment.dictionary.entries()]
    expect(entries.map(({ term }) => term)).toEqual(['every 2', 'every 400', 'every 7', 'every 8', 'everywhere'])
    for (const entry of entries) {
      const step = entry.term === 'everywhere' ? 1 : Number(entry.term.slice(6))
      const ordinals = [...captures.keys()].filter(i => i % step === 0)
      expect(entry.count).toBe(ordinals.length)
      if (entry.count < STANDING_STORED_FROM) {
        expect(entry).toMatchObject({ ended: 0, standingBytes: 0 })
        continue
      }
      const list = listOf(chunks, entry)
      for (let instant = -1; instant <= CAPTURES * 11; instant += 37) {
        const index = ordinals.filter(i => i * 10 <= instant).length
        const ended = ordinals.filter(i => supersededAt[i]! <= instant).length
        expect(list.endedBelow(index, order.upTo(instant)), `${entry.term} at ${instant}`).toBe(ended)
      }
    }
    expect(entries.filter(({ ended }) => ended > 0).map(({ term }) => term)).toEqual([
      'every 2',
      'every 7',
      'everywhere',
    ])
  })

  it('counts the chunks of standing lists among the bytes of the segment', () => {
    const { segment, chunks } = writeSegment(1, captures, supersededAt)
    expect(segment.info.bytes).toBe([...chunks.chunks.values()].reduce((total, { length }) => total + length, 0))
  })

  it('writes nothing more if no capture had ended', () => {
    const { chunks } = writeSegment(1, captures)
    const { chunks: ended } = writeSegment(1, captures, supersededAt)
    const superseded = `${Stream.columns}/${columnOrder.indexOf('supersededAt')}`
    const differing = [...ended.chunks].filter(
      ([name, bytes]) => Buffer.compare(chunks.chunks.get(name) ?? new Uint8Array(0), bytes) !== 0,
    )
    expect(differing.map(([name]) => name).sort()).toEqual(
      [`${Stream.dictionary}/0`, `${Stream.standing}/0`, superseded].sort(),
    )
    expect([...chunks.chunks.keys()].filter(name => name.startsWith(`${Stream.standing}/`))).toEqual([])
  })
})
