import { AsofError } from '../errors.ts'
import type { TaskFailure } from '../threads/task-failure.ts'
import { type BodyKind, isDocument } from './encoding/media-type.ts'

/** Time that extracting one page may take, milliseconds. */
const PAGE_MS = 5000
/** The same of a document, which may hold a book. */
const DOCUMENT_MS = 30_000

export function extractTimeoutMs(kind: BodyKind): number {
  return isDocument(kind) ? DOCUMENT_MS : PAGE_MS
}

/**
 * The error of a page whose extraction was ended. It does not say which limit the page exceeded, so that nobody can use
 * the answer to find a page that exceeds the other.
 *
 * @param timeoutMs - the time limit, milliseconds.
 * @param heapMb - the memory limit, MiB.
 */
export function stoppedError(
  failure: TaskFailure,
  { url, timeoutMs, heapMb }: { url: string; timeoutMs: number; heapMb: number },
): AsofError {
  if (failure.reason === 'error')
    return new AsofError('ASOF_EXTRACT_FAILED', 'the page could not be extracted: the extraction failed', {
      cause: failure,
      details: { url },
    })
  return new AsofError(
    'ASOF_EXTRACT_TIMEOUT',
    `the page needs more than the ${timeoutMs} ms or the ${heapMb} MiB that extraction may take`,
    { cause: failure, details: { url, timeoutMs, heapMb } },
  )
}
