import { isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import { ServiceError } from '../../service/index.ts'
import { PaymentProblem } from '../payments/settler.ts'

const OTHER_SIDE = 'the node or the facilitator'

/** Descriptions for error codes of the system, of TLS and of the network library. */
const outages: readonly (readonly [code: RegExp, text: string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, `the host name of ${OTHER_SIDE} could not be resolved`],
  [/^ECONNREFUSED$/, `${OTHER_SIDE} refused the connection`],
  [/^(?:ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/, `${OTHER_SIDE} took too long`],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, `the TLS certificate of ${OTHER_SIDE} is not valid for it`],
]

function outageText(code: string): string {
  return outages.find(([pattern]) => pattern.test(code))?.[1] ?? `the connection to ${OTHER_SIDE} failed`
}

/** Yields an error and the errors that caused it. */
function* causesOf(failure: unknown): Generator<Error & { code?: unknown; status?: unknown }> {
  for (let error = failure, depth = 0; isError(error) && depth < 10; error = error.cause, depth++) yield error
}

/**
 * Describes a failure for the operator's log. Never quotes the messages of libraries, which may contain the URL of a
 * blockchain node with its key.
 */
export function paymentFailureText(failure: unknown): string {
  for (const error of causesOf(failure)) {
    if (error instanceof PaymentProblem || isAsofError(error)) return error.message
    if (error instanceof ServiceError) {
      if (isError(error.cause)) continue
      return error.message
    }
    if (typeof error.code === 'string') return outageText(error.code)
    if (typeof error.status === 'number') return `${OTHER_SIDE} answered with the HTTP status ${error.status}`
    if (error.name === 'TimeoutError') return `${OTHER_SIDE} took too long`
  }
  return `${OTHER_SIDE} can't be reached or does not answer correctly`
}
