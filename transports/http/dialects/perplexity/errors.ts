import { type ServiceError, wireErrors } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** Writes an error as Perplexity does. */
export function writeError({ kind, message, statusCode }: ServiceError): WrittenError {
  const type = wireErrors[kind].error.replaceAll(' ', '_').toLowerCase()
  return { status: statusCode, body: { error: { message, type, code: statusCode } } }
}
