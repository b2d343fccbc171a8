import { Readable } from 'node:stream'
import type { Engine } from '@asof/core'
import type { ImportReport } from '../../crawler/index.ts'
import type { AdditionQuery, AdditionResponse } from '../contract/addition-schemas.ts'
import { toServiceError } from '../contract/errors.ts'

/**
 * Adds the pages in a text of JSON Lines, see `importJsonl`. They are on disk when this resolves. The same text again changes nothing but
 * when the pages were last seen.
 *
 * @throws ServiceError - the index cannot be written. Pages that were committed before are kept, and the same request adds the rest.
 */
export async function addPages(
  engine: Pick<Engine, 'add' | 'page'>,
  lines: Uint8Array,
  { base_url: baseUrl }: AdditionQuery,
): Promise<AdditionResponse> {
  const { importJsonl } = await import('../../crawler/index.ts')
  try {
    return answerOf(await importJsonl(engine, Readable.from([lines]), baseUrl === undefined ? {} : { baseUrl }))
  } catch (failure) {
    throw toServiceError(failure)
  }
}

/** Returns the number of a line in a place such as `line 12`. */
function lineOf(where: string): number | undefined {
  const [, number] = /^line (\d+)$/.exec(where) ?? []
  return number === undefined ? undefined : Number(number)
}

function answerOf(report: ImportReport): AdditionResponse {
  const { read, added, revised, unchanged, removed, failed, failures, warned, unknownFields } = report
  return {
    read,
    added,
    revised,
    unchanged,
    removed,
    failed,
    failures: failures.map(({ where, url, code, message }) => ({ line: lineOf(where), url, code, message })),
    warnings: warned.map(({ where, url, field, reason }) => ({ line: lineOf(where), url, field, message: reason })),
    unknown_fields: unknownFields.map(({ field }) => field),
  }
}
