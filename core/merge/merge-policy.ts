/**
 * Tiered merging: as soon as a tier holds {@link TIER_WIDTH} segments they become one of a higher tier, so that n
 * captures lie in O(log n) segments and each is rewritten O(log n) times.
 */
export const TIER_WIDTH = 8
/**
 * While nothing is added, two of a tier are enough: each segment costs every search some look-ups of its own, most of
 * all phrases.
 */
const TIER_WIDTH_AT_REST = 2
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

/**
 * Chooses the ids of the segments to merge next; none when there is nothing to do.
 *
 * @param isAtRest - whether nothing has been added for a while.
 */
export type MergePolicy = (segments: readonly Mergeable[], isAtRest: boolean) => number[]

/** The segments to merge next, or none. Those that must be rewritten are so even alone. */
export function chooseMerge(segments: readonly Mergeable[], isAtRest = false): number[] {
  const width = isAtRest ? TIER_WIDTH_AT_REST : TIER_WIDTH
  const tiers = new Map<number, Mergeable[]>()
  for (const segment of segments) {
    const tier = tierOf(segment.captures)
    const members = tiers.get(tier)
    if (members) members.push(segment)
    else tiers.set(tier, [segment])
  }
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const chosen = tiers.get(tier) ?? []
    if (chosen.length >= width) return withHigherTiers(chosen, tiers, width).map(({ id }) => id)
  }
  const due = segments.find(segment => segment.mustRewrite)
  return due ? [due.id] : []
}

/** The members of a tier, and of the one they would fill up as a single segment, and so on: none is written twice. */
function withHigherTiers(members: Mergeable[], tiers: Map<number, Mergeable[]>, width: number): Mergeable[] {
  const chosen = [...members]
  for (let from = tierOf(members[0].captures); ; ) {
    const tier = tierOf(chosen.reduce((total, { captures }) => total + captures, 0))
    const others = tier > from ? (tiers.get(tier) ?? []) : []
    if (others.length + 1 < width) return chosen
    chosen.push(...others)
    from = tier
  }
}

function tierOf(captures: number): number {
  return Math.max(0, Math.floor(Math.log(captures / LOWEST_TIER_CAPTURES) / Math.log(TIER_WIDTH)) + 1)
}
