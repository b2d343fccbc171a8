import { type Columns, createColumns } from './columns.ts'
import type { TermPostings } from './postings-codec.ts'
import type { Segment } from './segment.ts'
import type { SegmentWriter } from './segment-writer.ts'
import type { TermEntry } from './term-dictionary.ts'

/** Stands in a mapping for a capture that the merged segment leaves out. */
export const DROPPED = 0xffff_ffff

/** Where each capture of the sources goes. */
export interface MergePlan {
  columns: Columns
  /** Per source, old ordinal → new ordinal or {@link DROPPED}; ascending where not dropped. */
  mappings: Uint32Array[]
}

/**
 * Lines up the captures of several segments by acquiredAt, then URL descending, leaving out the purged ones.
 *
 * @param urlOf - asked only where two sources hold captures of the same millisecond. Undefined for a capture that was
 *   purged after the merge was asked for: it goes first, where it stands in nobody's way.
 */
export function planMerge(sources: readonly Segment[], urlOf: (captureId: number) => string | undefined): MergePlan {
  const mappings = sources.map(source => {
    const mapping = new Uint32Array(source.captures)
    for (const ordinal of source.purged) mapping[ordinal] = DROPPED
    return mapping
  })
  const kept = sources.reduce((total, source) => total + source.captures - source.purged.length, 0)
  const columns = createColumns(kept)
  const heads = sources.map(() => 0)
  const precedes = (a: number, b: number): boolean => {
    const byTime = sources[a].columns.acquiredAt[heads[a]] - sources[b].columns.acquiredAt[heads[b]]
    if (byTime !== 0) return byTime < 0
    const urlA = urlOf(sources[a].columns.captureIds[heads[a]])
    const urlB = urlOf(sources[b].columns.captureIds[heads[b]])
    if (urlA === undefined || urlB === undefined) return urlA === undefined
    return urlA === urlB
      ? sources[a].columns.captureIds[heads[a]] < sources[b].columns.captureIds[heads[b]]
      : urlA > urlB
  }
  for (let next = 0; next < kept; next++) {
    let best = -1
    for (let s = 0; s < sources.length; s++) {
      while (heads[s] < mappings[s].length && mappings[s][heads[s]] === DROPPED) heads[s]++
      if (heads[s] < mappings[s].length && (best < 0 || precedes(s, best))) best = s
    }
    const from = sources[best].columns
    const ordinal = heads[best]++
    mappings[best][ordinal] = next
    columns.acquiredAt[next] = from.acquiredAt[ordinal]
    columns.publishedAt[next] = from.publishedAt[ordinal]
    columns.supersededAt[next] = from.supersededAt[ordinal]
    columns.lengths[next] = from.lengths[ordinal]
    columns.captureIds[next] = from.captureIds[ordinal]
    columns.flags[next] = from.flags[ordinal]
  }
  return { columns, mappings }
}

/** Writes the terms of the sources to `writer` under their new ordinals, yielding after each one. */
export function* mergeTerms(
  sources: readonly Segment[],
  mappings: readonly Uint32Array[],
  writer: SegmentWriter,
): Generator<void> {
  const cursors = sources.map(source => source.dictionary.entries())
  const heads = cursors.map(cursor => cursor.next())
  for (;;) {
    let term: string | undefined
    for (const head of heads) if (!head.done && (term === undefined || head.value.term < term)) term = head.value.term
    if (term === undefined) return
    const runs: TermPostings[] = []
    for (let s = 0; s < heads.length; s++) {
      const head = heads[s]
      if (head.done || head.value.term !== term) continue
      const run = mapped(sources[s], head.value, mappings[s])
      if (run.count > 0) runs.push(run)
      heads[s] = cursors[s].next()
    }
    if (runs.length > 0) writer.add(term, runs.length === 1 ? runs[0] : interleave(runs))
    yield
  }
}

/** A source's postings under their new ordinals, dropped captures left out. */
function mapped(source: Segment, entry: TermEntry, mapping: Uint32Array): TermPostings {
  const { count, ordinals, frequencies, positionLengths, positions } = source.postings(entry)
  const fresh = {
    count: 0,
    ordinals: new Uint32Array(count),
    frequencies: new Uint32Array(count),
    positionLengths: new Uint32Array(count),
    positions,
  }
  if (source.purged.length > 0) fresh.positions = new Uint8Array(positions.length)
  let read = 0
  let written = 0
  for (let i = 0; i < count; i++) {
    const ordinal = mapping[ordinals[i]]
    const length = positionLengths[i]
    if (ordinal !== DROPPED) {
      if (fresh.positions !== positions) fresh.positions.set(positions.subarray(read, read + length), written)
      fresh.ordinals[fresh.count] = ordinal
      fresh.frequencies[fresh.count] = frequencies[i]
      fresh.positionLengths[fresh.count++] = length
      written += length
    }
    read += length
  }
  return fresh
}

/** Merges ascending runs into one. */
function interleave(runs: readonly TermPostings[]): TermPostings {
  const count = runs.reduce((total, run) => total + run.count, 0)
  const merged: TermPostings = {
    count,
    ordinals: new Uint32Array(count),
    frequencies: new Uint32Array(count),
    positionLengths: new Uint32Array(count),
    positions: new Uint8Array(runs.reduce((total, run) => total + run.positions.length, 0)),
  }
  const heads = runs.map(() => 0)
  const positionHeads = runs.map(() => 0)
  let positionsAt = 0
  for (let next = 0; next < count; next++) {
    let best = -1
    let lowest = DROPPED
    for (let r = 0; r < runs.length; r++) {
      if (heads[r] < runs[r].count && runs[r].ordinals[heads[r]] < lowest) {
        lowest = runs[r].ordinals[heads[r]]
        best = r
      }
    }
    const run = runs[best]
    const at = heads[best]++
    const length = run.positionLengths[at]
    merged.ordinals[next] = lowest
    merged.frequencies[next] = run.frequencies[at]
    merged.positionLengths[next] = length
    const from = positionHeads[best]
    for (let i = 0; i < length; i++) merged.positions[positionsAt + i] = run.positions[from + i]
    positionHeads[best] += length
    positionsAt += length
  }
  return merged
}
