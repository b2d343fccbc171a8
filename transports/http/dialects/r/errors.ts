import { type ServiceError, wireErrors } from '../../../../service/index.ts'
import type { WrittenError } from '../frame/dialect.ts'

/** The codes of Jina have five digits, of which the first three are the status. */
const CODES_OF_STATUS = 100

/** Writes an error as the reader of Jina does. */
export function writeError({ kind, message, statusCode, details }: ServiceError): WrittenError {
  const name = wireErrors[kind].error.replaceAll(' ', '_')
  const code = statusCode * CODES_OF_STATUS
  return {
    status: statusCode,
    body: { data: null, code: statusCode, name, status: code, message, readableMessage: message, details },
  }
}
