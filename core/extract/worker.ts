import { isAsofError } from '../errors.ts'
import { extractPage } from './extract-page.ts'
import type { ExtractedPage, ExtractOptions } from './extracted-page.ts'

export interface ExtractTask {
  body: Uint8Array | string
  options: ExtractOptions
}

/** What crosses the thread border: a class and its `code` would not survive it, so a typed error goes as plain data. */
export type ExtractOutcome =
  | { page: ExtractedPage }
  | { error: { code: string; message: string; details: Record<string, unknown> | undefined } }

/** The pool's task. Errors without a code are bugs and travel as they are. */
export default function run({ body, options }: ExtractTask): ExtractOutcome {
  try {
    return { page: extractPage(body, options) }
  } catch (error) {
    if (!isAsofError(error)) throw error
    const { code, message, details } = error
    return { error: { code, message, details: details && { ...details } } }
  }
}
