import { decompressed } from './decompressed.ts'
import {
  importRecords,
  MAX_RECORD_BYTES,
  type RecordImportOptions,
  readRecordOptions,
  type SourceRecord,
} from './import-records.ts'
import type { ImportReport, ImportTarget } from './import-report.ts'
import { joined, parseJson, tooLong } from './json-record.ts'

/**
 * Imports observations from JSON Lines, also compressed by gzip or Zstandard.
 * - A capture has `url` and one of `html`, `markdown` and `text`. Optional fields are `title`, `author`, `description`,
 *   `published_at`, `acquired_at` (ISO 8601), `content_type`, `fields`, `aliases`, and `asof` with the further metadata
 *   of an export.
 * - A line with `removed_at`, `seen_at` or `aliased_at` declares that the page was gone, was unchanged, or was reached
 *   by `aliases`.
 * - Unknown fields are ignored, and each is reported once.
 * - An invalid line is reported by its number, and the import continues.
 * - A publish date after the acquisition is left out, with a warning.
 *
 * Lines may have up to 32 MiB. Memory does not grow with the input.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type, or `map` names an unknown field.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. Observations that were committed before are kept.
 */
export async function importJsonl(
  engine: ImportTarget,
  source: AsyncIterable<Uint8Array>,
  options?: RecordImportOptions,
): Promise<ImportReport> {
  const read = readRecordOptions(options)
  return await importRecords(engine, recordsOfLines(decompressed(source)), read)
}

async function* recordsOfLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRecord> {
  let number = 0
  for await (const line of linesOf(source)) {
    const where = `line ${++number}`
    if (line === 'too long')
      yield {
        where,
        size: 0,
        read: () => {
          throw tooLong()
        },
      }
    else if (!isBlank(line)) yield { where, size: line.length, read: () => parseJson(line) }
  }
}

/** Yields lines without line ends. Yields `too long` in place of a line that exceeds the limit. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | 'too long'> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(10, from)
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end)
      size += piece.length
      if (size <= MAX_RECORD_BYTES) parts.push(piece)
      else parts = []
      if (end < 0) break
      yield size > MAX_RECORD_BYTES ? 'too long' : joined(parts, size)
      parts = []
      size = 0
      from = end + 1
    }
  }
  if (size > 0) yield size > MAX_RECORD_BYTES ? 'too long' : joined(parts, size)
}

function isBlank(line: Uint8Array): boolean {
  return line.every(byte => byte === 32 || (byte >= 9 && byte <= 13))
}
