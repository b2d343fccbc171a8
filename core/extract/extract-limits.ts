import { AsofError } from '../errors.ts'
import type { TaskFailure } from './limited-workers.ts'
import { type BodyKind, isDocument } from './media-type.ts'

/** Time that extracting one page may take, milliseconds. */
const PAGE_MS = 5000
/** The same of a document, which may hold a book. */
const DOCUMENT_MS = 30_000

export function extractTimeoutMs(kind: BodyKind): number {
  return isDocument(kind) ? DOCUMENT_MS : PAGE_MS
}

/** What the failure of a worker means for the page it had in hand. */
export function stoppedError(
  failure: TaskFailure,
  { url, timeoutMs, heapMb }: { url: string; timeoutMs: number | undefined; heapMb: number },
): AsofError {
  switch (failure.reason) {
    case 'time':
      return new AsofError(
        'ASOF_EXTRACT_TIMEOUT',
        timeoutMs === undefined
          ? 'the page took too long to extract'
          : `the page took longer than ${timeoutMs} ms to extract`,
        { cause: failure, details: { url, limit: 'time', ...(timeoutMs !== undefined && { timeoutMs }) } },
      )
    case 'memory':
      return new AsofError('ASOF_EXTRACT_TIMEOUT', `the page took more than the ${heapMb} MiB of heap that it may`, {
        cause: failure,
        details: { url, limit: 'memory', heapMb },
      })
    case 'error':
      return new AsofError('ASOF_EXTRACT_FAILED', 'the page could not be extracted: the extraction failed', {
        cause: failure,
        details: { url },
      })
  }
}
