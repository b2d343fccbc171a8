import { type ServiceError, wireErrors } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Writes an error as Brave does. */
export function writeError({ kind, message, statusCode, details }: ServiceError, requestId: string): WrittenError {
  const code = wireErrors[kind].error.replaceAll(' ', '_').toUpperCase()
  const error = { id: requestId, status: statusCode, code, detail: message, meta: details && { errors: details } }
  return { status: statusCode, body: { type: 'ErrorResponse', error } }
}
