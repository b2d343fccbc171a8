import { decompressed } from './decompressed.ts'
import { importRecords, type RecordImportOptions, readRecordOptions } from './import-records.ts'
import type { ImportReport, ImportTarget } from './import-report.ts'
import { jsonElements } from './json-elements.ts'

/**
 * Imports captures from JSON: an array of records, one record, or several that follow each other, also compressed by gzip or Zstandard.
 * Records have the fields of JSON Lines, see `importJsonl`. The array is read as a stream: memory holds the records of one commit, and a record may have up
 * to 32 MiB. A wrong record is reported by the line in which it begins.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type or an unknown field.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine; observations that it acknowledged before are kept.
 */
export async function importJson(
  engine: ImportTarget,
  source: AsyncIterable<Uint8Array>,
  options?: RecordImportOptions,
): Promise<ImportReport> {
  const read = readRecordOptions(options)
  return await importRecords(engine, jsonElements(decompressed(source)), read)
}
