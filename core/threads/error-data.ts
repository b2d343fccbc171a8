import { AsofError, type ErrorCode, isAsofError } from '../errors.ts'

/** An error as plain data. Copying an error to another thread or process would lose its class, code and details. */
export interface ErrorData {
  /** Undefined for an error without a code, which is a bug. */
  code?: ErrorCode
  message: string
  details?: Readonly<Record<string, unknown>>
  stack?: string
}

export function errorData(error: unknown): ErrorData {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message, stack } = error
  return isAsofError(error) ? { code: error.code, message, details: error.details, stack } : { message, stack }
}

/** Rebuilds an error: an {@link AsofError} if it has a code. */
export function errorOf({ code, message, details, stack }: ErrorData): Error {
  const error = code ? new AsofError(code, message, { details }) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
