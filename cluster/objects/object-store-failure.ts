import { AsofError, isAsofError } from '@asof/core'

/** The name of the store in messages. */
export const OBJECT_STORE = 'the object store'

/** Codes of failures after which the same call may succeed: no connection, or a folder of a network that is away. */
const unreachableCodes =
  /^(?:ECONN\w+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EIO|ESTALE|ENOTCONN|ERR_SOCKET\w*)$/
const unreachableNames = ['TimeoutError', 'RequestTimeout', 'SlowDown']

/** Returns the error of a call that the object store did not fulfill. No message has more than the code or name of the failure. */
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

/** @param reason - a code, or what is wrong. */
export function unreachableStore(reason: string): AsofError {
  const lost = `${OBJECT_STORE} cannot be reached: ${reason}`
  return new AsofError('ASOF_STORE_READ', `${lost}; try again`, {
    details: { server: OBJECT_STORE, reason: lost },
    statusCode: 503,
    retryable: true,
  })
}
