import type { GroupPostings } from './analyzed-group.ts'
import type { GroupWorkspace } from './group-workspace.ts'

/**
 * Sorts the postings of a workspace, which are ordered by capture, by the rank of their term.
 *
 * @param ranks - per term of the group, its rank in ascending order of the terms' bytes.
 */
export function postingsByTerm(
  ranks: Uint32Array,
  space: GroupWorkspace,
): Pick<GroupPostings, 'postings' | 'postingEnds'> {
  const termIds = space.termIds.values
  const ends = space.ends.values
  const count = space.termIds.length
  const next = new Uint32Array(ranks.length + 1)
  for (let p = 0; p < count; p++) next[ranks[termIds[p]!]! + 1]!++
  for (let t = 1; t <= ranks.length; t++) next[t]! += next[t - 1]!
  const order = new Uint32Array(count)
  for (let p = 0; p < count; p++) order[next[ranks[termIds[p]!]!]!++] = p
  const source = space.postings.bytes
  // In the result, a varint of the capture, which is below 2^28, precedes each posting.
  const postings = new Uint8Array(space.postings.length + 4 * count)
  const postingEnds = new Uint32Array(ranks.length)
  let at = 0
  let i = 0
  for (let t = 0; t < ranks.length; t++) {
    let previous = -1
    // The counting sort has moved the start of each term to its end.
    for (; i < next[t]!; i++) {
      const p = order[i]!
      const index = space.captureIndexes.values[p]!
      let gap = index - previous - 1
      previous = index
      for (; gap > 127; gap >>>= 7) postings[at++] = (gap & 127) | 128
      postings[at++] = gap
      const end = ends[p]!
      for (let from = p === 0 ? 0 : ends[p - 1]!; from < end; from++) postings[at++] = source[from]!
    }
    postingEnds[t] = at
  }
  return { postings: postings.slice(0, at), postingEnds }
}
