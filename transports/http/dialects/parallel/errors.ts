import type { ServiceError } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Writes an error as Parallel does. */
export function writeError({ message, statusCode, details }: ServiceError, requestId: string): WrittenError {
  const detail = details && { problems: details }
  return { status: statusCode, body: { type: 'error', error: { ref_id: requestId, message, detail } } }
}
