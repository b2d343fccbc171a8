/**
 * Number of segments of a tier that are merged into one of a higher tier. With n captures there are O(log n) segments,
 * and each capture is rewritten O(log n) times.
 */
export const TIER_WIDTH = 8
/**
 * Like {@link TIER_WIDTH}, but used while nothing is added. Then more merging pays, because every segment makes each search slower, phrase
 * queries most of all.
 */
const TIER_WIDTH_AT_REST = 2
/** Segments with fewer captures than this are in the lowest tier. */
const LOWEST_TIER_CAPTURES = 64

/** A segment, as a {@link MergePolicy} chooses from the segments. */
export interface Mergeable {
  id: number
  captures: number
  /** Number of deleted captures, which a merge would leave out. */
  purged: number
  /** True if the segment should be rewritten now to remove deleted captures. */
  mustRewrite: boolean
}

/**
 * Returns the ids of the segments to merge next; an empty list if none need merging.
 *
 * @param isAtRest - true if nothing has been added for a while.
 */
export type MergePolicy = (segments: readonly Mergeable[], isAtRest: boolean) => number[]

/** The default policy. A segment with `mustRewrite` is chosen even if it is the only one of its tier. */
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

/**
 * Adds the members of the next higher tier if the merged segment would fill that tier, and so on. One merge then does
 * the work of several.
 */
function withHigherTiers(members: Mergeable[], tiers: Map<number, Mergeable[]>, width: number): Mergeable[] {
  const chosen = [...members]
  for (let from = tierOf(members[0]?.captures ?? 0); ; ) {
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
