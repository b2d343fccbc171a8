import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListMerger } from '../../../core/kernels/list-merger.ts'
import { type MergeSource, mergeTerms, OMITTED, planMerge } from '../../../core/merge/segment-merger.ts'
import { type Columns, columnOrder } from '../../../core/segment/columns/columns.ts'
import { Segment } from '../../../core/segment/segment.ts'
import { SegmentWriter } from '../../../core/segment/segment-writer.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { MemoryChunks } from '../segment/memory-chunks.ts'
import {
  byOrdinal,
  type NaiveCapture,
  naiveCaptures,
  naiveIndex,
  newCache,
  readBack,
  writeSegment,
} from '../segment/naive-index.ts'

/** Captures distributed over several segments, each with some of them purged. */
const layouts = fc
  .tuple(
    naiveCaptures({ minLength: 1, maxLength: 120 }),
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.nat(150)),
    fc.nat(),
  )
  .map(([captures, segments, purged, seed]) => {
    const parts: NaiveCapture[][] = Array.from({ length: segments }, () => [])
    for (const [i, capture] of captures.entries()) parts[(i * 17 + seed) % segments]!.push(capture)
    return { captures, parts: parts.filter(part => part.length > 0), purged: new Set(purged) }
  })

function merge(parts: readonly NaiveCapture[][], purged: ReadonlySet<number>) {
  const written = parts.map((part, s) => writeSegment(s + 1, part))
  const sources = written.map(({ segment }, s) => {
    const part = parts[s]!
    segment.tombstones = Uint32Array.from(
      part.flatMap(({ captureId }, ordinal) => (purged.has(captureId) ? [ordinal] : [])),
    )
    for (const [ordinal, { captureId }] of part.entries())
      segment.supersede(ordinal, purged.has(captureId) ? Number.NEGATIVE_INFINITY : captureId * 1000)
    return segment
  })
  const urls = new Map(parts.flat().map(({ captureId, url }) => [captureId, url]))
  const plan = planMerge(sources.map(mergeSource), captureId => urls.get(captureId) ?? '')
  if (plan.columns.acquiredAt.length === 0) return { plan, segment: undefined, chunks: undefined }
  const chunks = new MemoryChunks()
  const writer = new SegmentWriter(chunks, plan.columns)
  const { averageLength, standing } = writer
  for (const _ of mergeTerms(
    written.map(({ chunks: read }) => read),
    plan.mappings,
    writer,
    ListMerger.open({ ...plan, lengths: plan.columns.lengths, averageLength, standing }),
  ));
  return { plan, segment: Segment.open(writer.finish(99), chunks, newCache()), chunks }
}

function mergeSource({ captures, tombstones, columns }: Segment): MergeSource {
  const supersededAt = columns.supersededAt.slice()
  return { captures, tombstones, supersededAt, column: name => columns[name].slice() as (typeof columns)[typeof name] }
}

function columnsOf(captures: readonly NaiveCapture[]): Pick<
  Columns,
  'acquiredAt' | 'publishedAt' | 'captureIds' | 'declared'
> & {
  supersededAt: Float64Array
} {
  return {
    acquiredAt: Float64Array.from(captures, ({ acquiredAt }) => acquiredAt),
    publishedAt: Float64Array.from(captures, ({ publishedAt }) => publishedAt),
    supersededAt: Float64Array.from(captures, ({ captureId }) => captureId * 1000),
    captureIds: Uint32Array.from(captures, ({ captureId }) => captureId),
    declared: Uint8Array.from(captures, ({ declared }) => (declared ? 1 : 0)),
  }
}

describe('a merge', () => {
  it('writes one segment of all captures except the purged ones', () => {
    fc.assert(
      fc.property(layouts, ({ captures, parts, purged }) => {
        const kept = captures.filter(({ captureId }) => !purged.has(captureId)).sort(byOrdinal)
        const { plan, segment } = merge(parts, purged)
        expect(plan.columns).toMatchObject(columnsOf(kept))
        if (!segment) {
          expect(kept).toEqual([])
          return
        }
        expect(readBack(segment)).toEqual(naiveIndex(kept))
        expect(segment.columns).toEqual(plan.columns)
      }),
      { numRuns: 40 },
    )
  })

  it('maps every ordinal to the new ordinal of its capture', () => {
    fc.assert(
      fc.property(layouts, ({ parts, purged }) => {
        const { plan } = merge(parts, purged)
        for (const [s, part] of parts.entries())
          for (const [ordinal, { captureId }] of part.entries()) {
            const target = plan.mappings[s]![ordinal]!
            if (purged.has(captureId)) expect(target).toBe(OMITTED)
            else expect(plan.columns.captureIds[target]).toBe(captureId)
          }
      }),
      { numRuns: 20 },
    )
  })

  it('writes byte for byte the segment that its captures would have been written to together', () => {
    fc.assert(
      fc.property(layouts, ({ captures, parts }) => {
        const { chunks: merged } = merge(parts, new Set())
        const { chunks: direct } = writeSegment(99, captures)
        expect(merged && [...merged.chunks.keys()].sort()).toEqual([...direct.chunks.keys()].sort())
        for (const [name, bytes] of direct.chunks) {
          // The two differ only in supersededAt, which a merge copies.
          if (name === `${Stream.columns}/${columnOrder.indexOf('supersededAt')}`) continue
          expect(Buffer.compare(merged?.chunks.get(name) ?? new Uint8Array(0), bytes), name).toBe(0)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('orders captures of the same millisecond by URL, descending, then by age', () => {
    const capture = (captureId: number, url: string): NaiveCapture => ({
      captureId,
      url,
      acquiredAt: 5,
      publishedAt: Number.NaN,
      declared: false,
      terms: new Map([['word', [captureId]]]),
    })
    const { plan } = merge([[capture(4, 'c')], [capture(1, 'a')], [capture(3, 'b')], [capture(2, 'b')]], new Set())
    expect([...plan.columns.captureIds]).toEqual([4, 2, 3, 1])
  })

  it('reads URLs only if two segments contain captures of the same millisecond', () => {
    const capture = (captureId: number, acquiredAt: number): NaiveCapture => ({
      captureId,
      url: 'https://a.example/',
      acquiredAt,
      publishedAt: Number.NaN,
      declared: false,
      terms: new Map(),
    })
    const sources = [
      writeSegment(1, [capture(1, 1), capture(2, 3)]).segment,
      writeSegment(2, [capture(3, 2), capture(4, 4)]).segment,
    ]
    const asked: number[] = []
    planMerge(sources.map(mergeSource), captureId => {
      asked.push(captureId)
      return ''
    })
    expect(asked).toEqual([])
  })
})
