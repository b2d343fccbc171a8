import { AsofError } from '@asof/core'

/** Default time limit of a search in a cluster, ms. */
export const SEARCH_TIMEOUT_MS = 10_000

/**
 * Waits for work on the servers of a cluster, at most for a given time. Requests that are running at that time continue until their own
 * limits end them.
 *
 * @param work - must not begin further requests once `isOver` returns true.
 * @param who - the name of the servers in the error message.
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
  // An error of the work after the limit is ignored, because the caller already got the error of the limit.
  running.catch(() => {})
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
