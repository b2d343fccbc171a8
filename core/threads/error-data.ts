import { AsofError, type ErrorCode, isAsofError } from '../errors.ts'

/** An error as plain data. Copying an error to another thread or process would lose its class, code and details. */
export interface ErrorData {
  /** Undefined for an error without a code, which is a bug. */
  code?: ErrorCode
  message: string
  details?: Record<string, unknown>
  stack?: string
}

export function errorData(error: unknown): ErrorData {
  if (!(error instanceof Error)) return { message: String(error) }
  const data: ErrorData = { message: error.message, ...(error.stack !== undefined && { stack: error.stack }) }
  if (!isAsofError(error)) return data
  return { ...data, code: error.code, ...(error.details && { details: { ...error.details } }) }
}

/** Rebuilds an error: an {@link AsofError} if it has a code. */
export function errorOf({ code, message, details, stack }: ErrorData): Error {
  const error = code ? new AsofError(code, message, details ? { details } : {}) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
