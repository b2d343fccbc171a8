import type { ServiceError, WireErrorName } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Statuses that differ from those of asof. The clients of Tavily have errors for 400, 401, 403, 429 and 432. */
const statuses: Partial<Record<WireErrorName, number>> = { insufficient_credits: 432 }

/** Writes an error as Tavily does. An object under `error` with a `code` would mean its limit of callers without a key. */
export function writeError({ kind, message, statusCode }: ServiceError): WrittenError {
  return { status: statuses[kind] ?? statusCode, body: { detail: { error: message } } }
}
