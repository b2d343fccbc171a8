import { AsofError } from '@asof/core'

/** Default time that a search of a cluster may take, ms. */
export const SEARCH_TIMEOUT_MS = 10_000

/**
 * Waits for work on servers of a cluster no longer than a time. Requests that are under way then end by limits of their own.
 *
 * @param work - begins no further requests once `isOver` returns true.
 * @param who - the servers, for the message of the error.
 * @throws ASOF_SEARCH_TIMEOUT
 */
export async function withinTime<T>(
  limitMs: number,
  work: (isOver: () => boolean) => Promise<T>,
  who = 'the servers of the cluster',
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    const text = `${who} did not answer within ${limitMs / 1000} s (searchTimeoutMs): try again, and see asof cluster status`
    reject(new AsofError('ASOF_SEARCH_TIMEOUT', text, { details: { limitMs } }))
  }, limitMs)
  const running = work(() => isOver)
  // If it fails after the time is over, nobody waits for it any more.
  running.catch(() => {})
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
