import type { ServiceError } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Writes an error as SearXNG does. */
export function writeError({ message, statusCode }: ServiceError): WrittenError {
  return { status: statusCode, body: { error: message } }
}
