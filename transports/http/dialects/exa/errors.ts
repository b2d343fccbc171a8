import { type ServiceError, wireErrors } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Writes an error as Exa does. Its clients show `error` (JavaScript) or the whole body (Python). */
export function writeError(error: ServiceError, requestId: string): WrittenError {
  const tag = wireErrors[error.kind].error.replaceAll(' ', '_').toUpperCase()
  return { status: error.statusCode, body: { requestId, error: error.message, tag } }
}
