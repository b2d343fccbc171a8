import type { SegmentWriter } from '../segment/segment-writer.ts'
import type { AnalyzedCapture, AnalyzedGroup } from './analyzed-group.ts'

/** A capture's place in its group. */
export interface Analyzed {
  group: AnalyzedGroup
  capture: AnalyzedCapture
}

/**
 * Turns the postings of captures, which stand capture by capture, into posting lists term by term, and writes them.
 *
 * @param captures - in ordinal order.
 */
export function invert(captures: readonly Analyzed[], writer: SegmentWriter): void {
  const ids = new Map<string, number>()
  const terms: string[] = []
  const groups = new Map<AnalyzedGroup, GroupTables>()
  let postings = 0
  let positionBytes = 0
  for (const { group, capture } of captures) {
    if (!groups.has(group)) {
      groups.set(group, tablesOf(group, positionBytes, ids, terms))
      positionBytes += group.positions.length
    }
    postings += capture.postings
  }
  const positions = new Uint8Array(positionBytes)
  for (const [group, { positionsAt }] of groups) positions.set(group.positions, positionsAt)

  const ends = new Uint32Array(terms.length + 1)
  for (const { group, capture } of captures) {
    const { termIds } = groups.get(group) as GroupTables
    for (let p = capture.firstPosting; p < capture.firstPosting + capture.postings; p++) ends[termIds[p] + 1]++
  }
  for (let t = 1; t <= terms.length; t++) ends[t] += ends[t - 1]
  const starts = ends.slice(0, terms.length)

  const next = starts.slice()
  const ordinals = new Uint32Array(postings)
  const frequencies = new Uint32Array(postings)
  const lengths = new Uint32Array(postings)
  const sources = new Uint32Array(postings)
  captures.forEach(({ group, capture }, ordinal) => {
    const { termIds, positionStarts } = groups.get(group) as GroupTables
    for (let p = capture.firstPosting; p < capture.firstPosting + capture.postings; p++) {
      const at = next[termIds[p]]++
      ordinals[at] = ordinal
      frequencies[at] = group.frequencies[p]
      lengths[at] = group.positionLengths[p]
      sources[at] = positionStarts[p]
    }
  })

  let scratch = new Uint8Array(64 * 1024)
  for (const term of [...terms].sort()) {
    const id = ids.get(term) as number
    const from = starts[id]
    const to = ends[id + 1]
    if (from === to) continue
    let filled = 0
    for (let at = from; at < to; at++) {
      const length = lengths[at]
      if (filled + length > scratch.length) scratch = enlarged(scratch, filled + length)
      const source = sources[at]
      for (let i = 0; i < length; i++) scratch[filled + i] = positions[source + i]
      filled += length
    }
    writer.add(term, {
      count: to - from,
      ordinals: ordinals.subarray(from, to),
      frequencies: frequencies.subarray(from, to),
      positionLengths: lengths.subarray(from, to),
      positions: scratch.subarray(0, filled),
    })
  }
}

interface GroupTables {
  /** Per posting, the batch's id of its term. */
  termIds: Uint32Array
  /** Per posting, where its positions begin in the batch's positions. */
  positionStarts: Uint32Array
  positionsAt: number
}

function tablesOf(group: AnalyzedGroup, positionsAt: number, ids: Map<string, number>, terms: string[]): GroupTables {
  const groupTerms = group.terms.split('\n')
  const batchIds = new Uint32Array(groupTerms.length)
  groupTerms.forEach((term, i) => {
    let id = ids.get(term)
    if (id === undefined) {
      id = terms.length
      ids.set(term, id)
      terms.push(term)
    }
    batchIds[i] = id
  })
  const count = group.termIds.length
  const termIds = new Uint32Array(count)
  const positionStarts = new Uint32Array(count)
  let at = positionsAt
  for (let p = 0; p < count; p++) {
    termIds[p] = batchIds[group.termIds[p]]
    positionStarts[p] = at
    at += group.positionLengths[p]
  }
  return { termIds, positionStarts, positionsAt }
}

function enlarged(bytes: Uint8Array, needed: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.max(needed, bytes.length * 2))
  grown.set(bytes)
  return grown
}
