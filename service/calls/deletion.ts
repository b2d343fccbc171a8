import type { Engine, FieldFilter } from '@asof/core'
import type { DeletionRequest, DeletionResponse } from '../contract/deletion-schemas.ts'
import { refusedFields, toServiceError } from '../contract/errors.ts'

/** Time after which a deletion stops, ms: its caller repeats the request. A round that has begun is completed. */
const DELETION_MS = 30_000

/**
 * Removes or purges the pages that an administrator selects, see `Engine.removeAll` and `Engine.purgeAll`.
 *
 * @param signal - stops the deletion after the current round.
 * @throws ServiceError invalid_request - `details` names the wrong field.
 */
export async function deletePages(
  engine: Pick<Engine, 'removeAll' | 'purgeAll'>,
  op: 'remove' | 'purge',
  { at, dry_run: dryRun, filter, ...others }: DeletionRequest,
  signal: AbortSignal,
): Promise<DeletionResponse> {
  const selection = { ...others, filter: filter as FieldFilter | undefined }
  if (Object.values(selection).every(part => part === undefined))
    throw refusedFields('invalid_request', [
      { path: '', reason: 'name pages by urls, by at least one of site, prefix and filter, or by all: true' },
    ])
  const run = op === 'remove' ? engine.removeAll : engine.purgeAll
  try {
    const report = await run.call(engine, selection, {
      at,
      dryRun,
      signal: AbortSignal.any([signal, AbortSignal.timeout(DELETION_MS)]),
    })
    return { ...report, failures: report.failures.map(({ url, message, code }) => ({ url, message, code })) }
  } catch (failure) {
    throw toServiceError(failure)
  }
}
