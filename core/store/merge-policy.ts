/**
 * Tiered merging: as soon as a tier holds {@link TIER_WIDTH} segments they become one of the next tier, so that n
 * captures lie in O(log n) segments and each is rewritten O(log n) times.
 */
export const TIER_WIDTH = 8
/** Captures below which segments count as the lowest tier. */
const LOWEST_TIER_CAPTURES = 64

export interface Mergeable {
  id: number
  captures: number
  /** Captures that a rewrite would leave out. */
  purged: number
  /** Whether leaving them out is worth a rewrite now, or can't wait any longer. */
  mustRewrite: boolean
}

/** Chooses the ids of the segments to merge next; none when there is nothing to do. */
export type MergePolicy = (segments: readonly Mergeable[]) => number[]

/** The segments to merge next, or none. Those that must be rewritten are so even alone. */
export function chooseMerge(segments: readonly Mergeable[]): number[] {
  const tiers = new Map<number, Mergeable[]>()
  for (const segment of segments) {
    const tier = tierOf(segment.captures)
    const members = tiers.get(tier)
    if (members) members.push(segment)
    else tiers.set(tier, [segment])
  }
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const members = tiers.get(tier) ?? []
    if (members.length >= TIER_WIDTH) return members.map(segment => segment.id)
  }
  const due = segments.find(segment => segment.mustRewrite)
  return due ? [due.id] : []
}

function tierOf(captures: number): number {
  return Math.max(0, Math.floor(Math.log(captures / LOWEST_TIER_CAPTURES) / Math.log(TIER_WIDTH)) + 1)
}
