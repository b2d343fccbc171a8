/**
 * The `supersededAt` of a capture that the user purged. It is before every instant, so the capture is never current.
 */
export const PURGED = Number.NEGATIVE_INFINITY

/**
 * The `supersededAt` of a capture that was deleted for another reason: retention, the same text was observed before it,
 * or another observation of its millisecond replaced it. Unlike after a purge, the segment need not be rewritten soon.
 */
export const EXPIRED = -Number.MAX_VALUE

/** True if `supersededAt` says that the capture was purged or expired, so that it does not count. */
export function isTombstone(supersededAt: number): boolean {
  return supersededAt <= EXPIRED
}
