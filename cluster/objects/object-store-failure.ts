import { AsofError, isAsofError } from '@asof/core'

/** The name of the store in messages. */
export const OBJECT_STORE = 'the object store'

/** Codes of failures after which the same call may succeed later: no connection, or a network folder that is not available. */
const unreachableCodes =
  /^(?:ECONN\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EIO|ESTALE|ENOTCONN|ERR_SOCKET\w*)$/
const unreachableNames = ['TimeoutError', 'RequestTimeout', 'SlowDown']

/** Returns the error of a failed call of the object store. Its message has only the code or the name of the failure, which contain no secret. */
export function objectStoreFailure(failure: unknown): AsofError {
  if (isAsofError(failure)) return failure
  const { name, code, $metadata } = (failure ?? {}) as Record<string, unknown> & {
    $metadata?: { httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode ?? 0
  const what = String(typeof code === 'string' ? code : (name ?? 'Error'))
  const isUnreachable =
    unreachableCodes.test(what) || unreachableNames.includes(String(name)) || status === 429 || status >= 500
  if (isUnreachable) return unreachableStore(what)
  return new AsofError('ASOF_STORE_READ', `${OBJECT_STORE} refused a request of the cluster: ${what}`, {
    cause: failure,
    retryable: false,
  })
}

/** Returns the error of an object store that cannot be reached. @param reason - a code, or what is wrong. */
export function unreachableStore(reason: string): AsofError {
  const lost = `${OBJECT_STORE} cannot be reached: ${reason}`
  return new AsofError('ASOF_STORE_READ', `${lost}; try again`, {
    details: { server: OBJECT_STORE, reason: lost },
    statusCode: 503,
    retryable: true,
  })
}
