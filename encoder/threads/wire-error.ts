import { AsofError, type ErrorCode, errorCodes, isAsofError, messageOf } from '@asof/extract/errors'
import type { WireError } from './messages.ts'

/** Turns what a thread threw into data. What is not an error of asof is a bug, and not worth a second try. */
export function wireError(thrown: unknown): WireError {
  if (isAsofError(thrown)) return { code: thrown.code, message: thrown.message, retryable: thrown.retryable }
  return { code: 'ASOF_MODEL_FAILED', message: `the encoder failed: ${messageOf(thrown)}`, retryable: false }
}

export function errorOf({ code, message, retryable }: WireError): AsofError {
  return new AsofError(isCode(code) ? code : 'ASOF_MODEL_FAILED', message, { retryable })
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code)
}
