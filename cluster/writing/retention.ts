import { type ExpiredCapture, Retainer, readRetention } from '@asof/core/internal'
import type { RetentionOptions } from '../cluster-options.ts'
import type { ClusterDatabase } from '../stored/database.ts'
import type { ClusterWriter } from './cluster-writer.ts'

/** A capture that retention deletes, with its URL. */
export interface ExpiredPage extends ExpiredCapture {
  url: string
}

/**
 * Returns the retainer, which deletes captures that were superseded too long ago: from time to time, and after changes. Undefined without
 * `retain`.
 *
 * @throws ASOF_INVALID_OPTION
 */
export function retainerOf(
  { database, writer, now }: { database: ClusterDatabase; writer: ClusterWriter; now: () => number },
  { retain, onWarning = warning => process.emitWarning(warning) }: RetentionOptions,
): Retainer | undefined {
  if (retain === undefined) return undefined
  const urls = new Map<number, string>()
  const host = {
    currentInstant: now,
    expired: async (cutoff: number, atMost: number) => {
      const rows = await database.read(
        sql => sql<ExpiredPage[]>`
        select id as "captureId", url, acquired_at as at, superseded_at as "supersededAt" from capture
        where superseded_at < ${cutoff} order by superseded_at fetch first ${atMost} rows with ties`,
      )
      urls.clear()
      for (const { captureId, url } of rows) urls.set(captureId, url)
      return rows.sort((a, b) => a.supersededAt - b.supersededAt || a.captureId - b.captureId)
    },
    expire: (expired: readonly ExpiredCapture[]) =>
      writer.expire(expired.map(capture => ({ ...capture, url: urls.get(capture.captureId)! }))),
    onWarning,
  }
  return new Retainer(host, readRetention(retain))
}
