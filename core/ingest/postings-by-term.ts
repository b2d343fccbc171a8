import type { PostingsByTerm, UnorderedPostings } from '../kernels/group-sorter.ts'
import { sortTerms } from '../text/terms/term-bytes.ts'

/**
 * Orders the postings of a group by term. This slower version handles groups that are too large for the WebAssembly
 * kernel, and tests compare the kernel with it.
 */
export function postingsByTerm(unordered: UnorderedPostings): PostingsByTerm {
  const { ranks, terms, termEnds } = orderTerms(unordered)
  const { termIds, captureIndexes, ends, postings: source } = unordered
  const count = termIds.length
  const next = new Uint32Array(ranks.length + 1)
  for (let p = 0; p < count; p++) next[ranks[termIds[p]!]! + 1]!++
  for (let t = 1; t <= ranks.length; t++) next[t]! += next[t - 1]!
  const order = new Uint32Array(count)
  for (let p = 0; p < count; p++) order[next[ranks[termIds[p]!]!]!++] = p
  // Each posting gets a varint in front, the index of its capture. It takes at most 4 bytes, because indexes are below
  // 2^28.
  const postings = new Uint8Array(source.length + 4 * count)
  const postingEnds = new Uint32Array(ranks.length)
  let at = 0
  let i = 0
  for (let t = 0; t < ranks.length; t++) {
    let previous = -1
    // The counting sort above moved `next[t]` to the end of the term's postings.
    for (; i < next[t]!; i++) {
      const p = order[i]!
      const index = captureIndexes[p]!
      let gap = index - previous - 1
      previous = index
      for (; gap > 127; gap >>>= 7) postings[at++] = (gap & 127) | 128
      postings[at++] = gap
      const end = ends[p]!
      for (let from = p === 0 ? 0 : ends[p - 1]!; from < end; from++) postings[at++] = source[from]!
    }
    postingEnds[t] = at
  }
  return { terms, termEnds, postings: postings.slice(0, at), postingEnds }
}

/** Copies the terms in ascending order. `ranks` has the place of each term in that order. */
function orderTerms({ terms: bytes, termEnds: ends }: UnorderedPostings) {
  const count = ends.length
  const order = sortTerms({ count, bytes, ends })
  const ranks = new Uint32Array(count)
  const terms = new Uint8Array(bytes.length)
  const termEnds = new Uint32Array(count)
  let at = 0
  for (let rank = 0; rank < count; rank++) {
    const term = order[rank]!
    ranks[term] = rank
    const end = ends[term]!
    for (let i = term === 0 ? 0 : ends[term - 1]!; i < end; i++) terms[at++] = bytes[i]!
    termEnds[rank] = at
  }
  return { ranks, terms, termEnds }
}
