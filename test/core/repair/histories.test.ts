import { describe, expect, it } from 'vitest'
import type { CaptureFacts } from '../../../core/repair/capture-facts.ts'
import { recoverHistory, settledEnds } from '../../../core/repair/histories.ts'
import type { UrlRecord } from '../../../core/store/records/url-record.ts'

const noFacts = (): undefined => undefined
const capture = (captureId: number, at: number) => ({
  kind: 'capture' as const,
  captureId,
  at,
  fingerprint: `f${captureId}`,
  metadata: 'm',
  declared: false,
})
const survivor = (captureId: number, at: number) => ({ captureId, at, fingerprint: `f${captureId}`, metadata: 'm' })
const whole: UrlRecord = [
  capture(1, 10),
  { kind: 'sighting', at: 15, declared: false },
  capture(2, 20),
  { kind: 'sighting', at: 25, declared: false },
  { kind: 'removal', at: 30, declared: false },
  capture(3, 40),
]

describe('a history', () => {
  it('is unchanged if nothing is lost', () => {
    const all = [survivor(1, 10), survivor(2, 20), survivor(3, 40)]
    expect(recoverHistory(whole, all, noFacts)).toEqual({
      record: whole,
      captures: [
        { captureId: 1, at: 10, supersededAt: 20, revisions: [] },
        { captureId: 2, at: 20, supersededAt: 30, revisions: [] },
        { captureId: 3, at: 40, supersededAt: Number.POSITIVE_INFINITY, revisions: [] },
      ],
      lost: [],
      revisionsLost: 0,
    })
    expect(settledEnds(whole)).toEqual(recoverHistory(whole, all, noFacts).captures)
  })

  it('ends the capture before a lost one, and drops sightings of the lost one', () => {
    const saved = recoverHistory(whole, [survivor(1, 10), survivor(3, 40)], noFacts)
    expect(saved.record).toEqual([
      capture(1, 10),
      { kind: 'sighting', at: 15, declared: false },
      { kind: 'removal', at: 20, declared: false },
      capture(3, 40),
    ])
    expect(saved.captures[0]!.supersededAt).toBe(20)
    expect(saved.lost).toEqual([20])
  })

  it('keeps the metadata from before a lost revision', () => {
    const revision = (revisionId: number, at: number, metadata: string) => {
      return { kind: 'revision' as const, revisionId, at, metadata, declared: true }
    }
    const known = [capture(1, 10), revision(2, 20, 'n'), revision(3, 30, 'm'), revision(4, 40, 'o')]
    const saved = recoverHistory(known, [survivor(1, 10)], noFacts, revisionId => revisionId !== 2)
    expect(saved.record).toEqual([
      capture(1, 10),
      { kind: 'seen', at: 20 },
      { kind: 'sighting', at: 30, declared: true },
      revision(4, 40, 'o'),
    ])
    expect(saved).toMatchObject({ lost: [], revisionsLost: 1 })
    expect(saved.captures[0]!.revisions).toEqual([{ revisionId: 4, at: 40, declared: true }])
  })

  it('begins with the first surviving capture', () => {
    const saved = recoverHistory(whole, [survivor(2, 20)], noFacts)
    expect(saved.record).toEqual([
      capture(2, 20),
      { kind: 'sighting', at: 25, declared: false },
      { kind: 'removal', at: 30, declared: false },
    ])
    expect(saved.lost).toEqual([10, 40])
  })

  it('includes captures that are missing in its record, each at its instant', () => {
    const saved = recoverHistory([capture(1, 10)], [survivor(3, 40), survivor(1, 10), survivor(2, 20)], noFacts)
    expect(saved.captures).toEqual([
      { captureId: 1, at: 10, supersededAt: 20, revisions: [] },
      { captureId: 2, at: 20, supersededAt: 40, revisions: [] },
      { captureId: 3, at: 40, supersededAt: Number.POSITIVE_INFINITY, revisions: [] },
    ])
  })

  it('without its record takes the ends of captures from their columns', () => {
    const ends: Record<number, number> = { 1: 20, 2: 30, 3: Number.POSITIVE_INFINITY }
    const facts = (captureId: number): CaptureFacts => ({
      acquiredAt: 0,
      supersededAt: ends[captureId]!,
      declared: captureId === 2,
      datesKnown: true,
    })
    const saved = recoverHistory([], [survivor(1, 10), survivor(2, 20), survivor(3, 40)], facts)
    expect(saved.record).toEqual([
      capture(1, 10),
      { ...capture(2, 20), declared: true },
      { kind: 'removal', at: 30, declared: true },
      capture(3, 40),
    ])
    expect(saved.captures.map(({ supersededAt }) => supersededAt)).toEqual([20, 30, Number.POSITIVE_INFINITY])
    expect(saved.captures.map(({ removedAt }) => removedAt)).toEqual([undefined, 30, undefined])
  })
})
