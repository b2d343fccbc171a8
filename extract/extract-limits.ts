import { type BodyKind, isDocument } from './encoding/media-type.ts'
import { AsofError } from './errors/errors.ts'
import type { TaskFailure } from './processes/task-failure.ts'

/** Time limit for a page, milliseconds. */
const PAGE_MS = 5000
/** Time limit for a document, which may be a whole book, milliseconds. */
const DOCUMENT_MS = 30_000

export function extractTimeoutMs(kind: BodyKind): number {
  return isDocument(kind) ? DOCUMENT_MS : PAGE_MS
}

/**
 * Returns the error for a page whose extraction failed or exceeded a limit. It does not say which limit, because that
 * would help to make a page that exceeds the other one.
 *
 * @param timeoutMs - the time limit, milliseconds.
 * @param heapMb - the memory limit, MiB.
 */
export function stoppedError(
  failure: TaskFailure,
  { url, timeoutMs, heapMb }: { url: string; timeoutMs: number; heapMb: number },
): AsofError {
  if (failure.reason === 'error')
    return new AsofError('ASOF_EXTRACT_FAILED', 'the page could not be extracted: the extraction process failed', {
      cause: failure,
      details: { url },
    })
  return new AsofError(
    'ASOF_EXTRACT_TIMEOUT',
    `the extraction of the page exceeded ${timeoutMs} ms or ${heapMb} MiB of memory`,
    { cause: failure, details: { url, timeoutMs, heapMb } },
  )
}
