import { AsofError, isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'

/** Codes of failures after which the same call may succeed later: no connection, or PostgreSQL is starting, stopping, full or too slow. */
const postgresCodes =
  /^(?:CONNECT_TIMEOUT|CONNECTION_(?:CLOSED|DESTROYED|ENDED)|ECONN\w+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|57P0[1-3]|08\w{3}|53300|55P03|25P03)$/
const openSearchNames = ['ConnectionError', 'NoLivingConnectionsError', 'TimeoutError']
/** Statuses with which OpenSearch answers while it is overloaded, has no elected manager or lacks a shard. */
const openSearchStatuses = [429, 502, 503, 504]
const MAX_CAUSES = 5

/** Returns the server that cannot be reached and its failure; undefined if the error has another cause. */
function unreachable(error: unknown, depth = 0): { server: string; failure: Error } | undefined {
  if (!isError(error) || depth > MAX_CAUSES) return undefined
  if (isUnreachable(error)) return { server: String(error.details!.server), failure: error }
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (openSearchNames.includes(error.name)) return { server: 'OpenSearch', failure: error }
  if (error.name === 'ResponseError' && openSearchStatuses.includes(Number(statusCode)))
    return { server: 'OpenSearch', failure: error }
  if (typeof code === 'string' && postgresCodes.test(code)) return { server: 'PostgreSQL', failure: error }
  return unreachable(error.cause, depth + 1)
}

/** Removes passwords of URLs from a text. */
function withoutPasswords(text: string): string {
  return text.replace(/(:\/\/[^\s/:@]*):[^\s/@]*@/g, '$1:…@')
}

/** Returns a failure of a client as an error with only its name and message, without passwords. */
function plainCause(failure: Error): Error {
  return new Error(withoutPasswords(`${failure.name}: ${failure.message}`))
}

/**
 * Returns the error of a call that failed because of a server of the cluster, with status 503 if the server cannot be reached. Returns other
 * errors unchanged: those of asof, and bugs.
 */
export function serverFailure(error: unknown): unknown {
  if (isUnreachable(error)) return error
  const found = unreachable(error)
  if (found) {
    const { server, failure } = found
    const reason = 'code' in failure && typeof failure.code === 'string' ? `: ${failure.code}` : ''
    const lost = `${server} cannot be reached${reason}`
    const code = server === 'PostgreSQL' ? 'ASOF_STORE_READ' : 'ASOF_SEARCH_FAILED'
    return new AsofError(
      isAsofError(error) ? error.code : code,
      isAsofError(error) ? `${error.message} (${lost})` : `${lost}; try again`,
      { cause: plainCause(failure), details: { server, reason: lost }, statusCode: 503, retryable: true },
    )
  }
  if (isAsofError(error) || !isError(error)) return error
  const server = { PostgresError: 'PostgreSQL', ResponseError: 'OpenSearch', ConfigurationError: 'OpenSearch' }[
    error.name
  ]
  if (server === undefined) return error
  const message = `${server} refused a request of the cluster: ${withoutPasswords(error.message)}`
  return new AsofError('ASOF_STORE_READ', message, { cause: plainCause(error) })
}

/** True if a call failed because a server of the cluster cannot be reached, and may succeed later. */
export function isUnreachable(error: unknown): error is AsofError {
  return isAsofError(error) && error.statusCode === 503 && error.details?.server !== undefined
}

/** Makes all asynchronous methods of a class reject with what {@link serverFailure} returns. */
export function nameServerFailures({ prototype }: { prototype: object }): void {
  withNamedFailures(prototype)
}

/** Makes the asynchronous methods of one object reject with what {@link serverFailure} returns. Returns the object. */
export function withNamedFailures<T extends object>(object: T): T {
  for (const [name, { value, ...rest }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    if (name === 'constructor' || typeof value !== 'function') continue
    const named = function (this: unknown, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(value, this, args)
      if (!(result instanceof Promise)) return result
      return result.catch((error: unknown) => {
        throw serverFailure(error)
      })
    }
    Object.defineProperty(object, name, { ...rest, value: named })
  }
  return object
}
