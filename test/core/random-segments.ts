import { AsofError } from '../../core/index.ts'
import { buildSegment } from '../../core/ingest/build-segment.ts'
import { GroupBuilder } from '../../core/ingest/group-builder.ts'
import { createColumns } from '../../core/segment/columns/columns.ts'
import { PostingCache } from '../../core/segment/posting-cache.ts'
import { Segment } from '../../core/segment/segment.ts'

/** Pseudo-random numbers in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A capture as plain data. */
export interface Fact {
  url: string
  words: string[]
  title: string[]
  acquiredAt: number
  publishedAt: number
  supersededAt: number
}

/** Publish dates are multiples of this, so that several fall on one day. */
export const PUBLISHED_STEP_MS = 7 * 3_600_000

/** Returns the host with the given number, 0 to 19. Two in five belong to `example.org`, the others to `example.com`. */
export const hostOf = (number: number): string => `h${number}.example.${number < 8 ? 'org' : 'com'}`

/** Random captures: words of skewed frequencies for posting lists of every density; few distinct lengths and times for ties. */
export function randomFacts(count: number, next: () => number): Fact[] {
  const word = (): string => `w${Math.floor(next() ** 4 * 400)}`
  const words = (most: number): string[] => Array.from({ length: 1 + Math.floor(next() * most) }, word)
  return Array.from({ length: count }, (_, i) => {
    const url = `https://${hostOf(Math.floor(next() * 20))}/${i}`
    const acquiredAt = Math.floor(next() * 200)
    const publishedAt = next() < 0.3 ? Number.NaN : Math.floor(next() * 200) * PUBLISHED_STEP_MS
    const endsAt = Math.max(acquiredAt + 1, 100 + Math.floor(next() * 200))
    const supersededAt = next() < 0.2 ? endsAt : Number.POSITIVE_INFINITY
    return { url, words: words(12), title: words(2), acquiredAt, publishedAt, supersededAt }
  })
}

/**
 * Builds a segment of captures in memory. The ids of the captures start at `firstCapture`.
 *
 * @param cache - shared by the segments of one index, so that a kernel can search them.
 */
export function segmentOf(
  id: number,
  facts: readonly Fact[],
  firstCapture: number,
  cache = new PostingCache(2 ** 24),
): Segment {
  const sorted = [...facts].sort((a, b) => a.acquiredAt - b.acquiredAt || (a.url > b.url ? -1 : 1))
  const builder = new GroupBuilder()
  for (const { url, title, words } of sorted)
    builder.add(
      { url, aliases: [], title: title.join(' '), fingerprint: '', metadata: '' },
      { details: {}, markdown: '', text: words.join(' ') },
    )
  const group = builder.finish()
  const columns = createColumns(sorted.length)
  sorted.forEach(({ acquiredAt, publishedAt, supersededAt }, i) => {
    columns.acquiredAt[i] = acquiredAt
    columns.publishedAt[i] = publishedAt
    columns.supersededAt[i] = supersededAt
    columns.lengths[i] = group.captures[i]!.length
    columns.captureIds[i] = firstCapture + i
    urls.set(firstCapture + i, sorted[i]!.url)
  })
  const everyone = Uint32Array.from(sorted, (_, i) => i)
  const { info, chunks: built } = buildSegment({
    segment: id,
    columns,
    groups: [group.postings],
    groupOf: new Uint32Array(sorted.length),
    indexOf: everyone,
  })
  const chunks = new Map(built.map(({ stream, chunk, bytes }) => [`${stream}/${chunk}`, bytes]))
  const source = {
    get: (stream: number, chunk: number) => {
      const bytes = chunks.get(`${stream}/${chunk}`)
      if (!bytes) throw new AsofError('ASOF_STORE_CORRUPT', 'missing')
      return bytes
    },
  }
  const segment = Segment.open(info, source, cache)
  segment.columns.supersededAt.set(columns.supersededAt)
  return segment
}

/** Returns the URL of a capture by its id, for captures of all segments built here. */
const urls = new Map<number, string>()

export function urlOf(captureId: number): string {
  return urls.get(captureId) as string
}
