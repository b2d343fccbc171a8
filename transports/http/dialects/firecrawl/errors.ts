import { type ServiceError, type WireErrorName, wireErrors } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Statuses that differ from those of asof: the clients of Firecrawl repeat a 502, and know a timeout as 408. */
const statuses: Partial<Record<WireErrorName, number>> = { target_unreachable: 500, target_timeout: 408 }

/** Writes an error as Firecrawl does. */
export function writeError({ kind, message, statusCode, details }: ServiceError): WrittenError {
  const code = wireErrors[kind].error.replaceAll(' ', '_').toUpperCase()
  return { status: statuses[kind] ?? statusCode, body: { success: false, error: message, code, details } }
}
