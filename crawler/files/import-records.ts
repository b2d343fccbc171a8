import { isAsofError } from '@asof/core'
import { type OptionKinds, optionsReader } from '@asof/extract/errors'
import {
  ImportBuffer,
  type ImportOptions,
  type ImportReport,
  type ImportTarget,
  importOptionKinds,
} from './import-report.ts'
import { observationOfRecord } from './imported-record.ts'
import { RecordMap, type RecordMapping } from './record-map.ts'

/** Options of the import of records: lines of JSON Lines, elements of a JSON array, or rows of CSV. */
export interface RecordImportOptions extends ImportOptions, RecordMapping {}

export const recordOptionKinds: OptionKinds<RecordImportOptions> = {
  ...importOptionKinds,
  map: 'object',
  baseUrl: 'string',
}

export const readRecordOptions = optionsReader<RecordImportOptions>(recordOptionKinds)

/** Maximum size of a record: a line, an element of an array, or a row. */
export const MAX_RECORD_BYTES = 32 * 1024 * 1024

/** A record in the input of an import. */
export interface SourceRecord {
  /** `line 12`: the line in which the record begins. */
  where: string
  /** Size of the record, bytes. */
  size: number
  /** Parses the record. @throws ASOF_INVALID_CAPTURE */
  read: () => unknown
}

/**
 * Imports records. A wrong record is reported by its line, and the import continues. Damage that ends the input early, such as of
 * compressed data, is reported by the last line before it, and the records before it are kept.
 *
 * @param options - checked by `readRecordOptions`.
 */
export async function importRecords(
  engine: ImportTarget,
  records: AsyncIterable<SourceRecord>,
  options: RecordImportOptions,
): Promise<ImportReport> {
  const buffer = new ImportBuffer(engine, options)
  const { report } = buffer
  const map = new RecordMap(options)
  let last = 'the beginning'
  try {
    for await (const { where, size, read } of records) {
      if (options.signal?.aborted) break
      last = where
      if (buffer.skipNext()) continue
      report.read++
      let url: string | undefined
      try {
        const left: { field: string; reason: string }[] = []
        const observation = observationOfRecord(
          map.apply(read(), warning => left.push(warning)),
          unknown => {
            if (!map.isGiven) buffer.noteUnknown({ where, ...unknown })
          },
        )
        url = observation.url
        for (const warning of left) buffer.warn({ where, url, ...warning })
        await buffer.add(observation, where, size)
      } catch (error) {
        if (!isAsofError(error, 'ASOF_INVALID_CAPTURE')) throw error
        buffer.fail(where, map.inSourceNames(error), url)
      }
    }
  } catch (error) {
    if (!isAsofError(error, 'ASOF_INVALID_CAPTURE')) throw error
    buffer.fail(`after ${last}`, error)
  }
  await buffer.flush()
  if (report.read > report.skipped) for (const unknown of map.neverFound()) buffer.noteUnknown(unknown)
  return report
}
