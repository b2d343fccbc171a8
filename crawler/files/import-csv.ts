import { Readable } from 'node:stream'
import type { Engine } from '@asof/core'
import { invalidOption, optionsReader } from '@asof/core/options'
import { CsvError, parse } from 'csv-parse'
import { decompressed } from './decompressed.ts'
import {
  importRecords,
  MAX_RECORD_BYTES,
  type RecordImportOptions,
  recordOptionKinds,
  type SourceRecord,
} from './import-records.ts'
import type { ImportReport } from './import-report.ts'
import { badRecord } from './imported-record.ts'

/** Options of the import of CSV. */
export interface CsvImportOptions extends RecordImportOptions {
  /** The character between two values. Default: the comma, semicolon or tab that occurs most in the first line. */
  delimiter?: string
}

const readOptions = optionsReader<CsvImportOptions>({ ...recordOptionKinds, delimiter: 'string' })

/**
 * Imports captures from CSV (RFC 4180) in UTF-8, also compressed by gzip or Zstandard. The first row has the names of the columns, which
 * are the fields of JSON Lines, see `importJsonl`. Columns `fields.NAME` and `fields.NAME:TYPE` are fields to filter by. An empty value
 * counts as absent. A wrong row is reported by the line in which it begins, and the import continues.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type or an unknown field.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine; observations that it acknowledged before are kept.
 */
export async function importCsv(
  engine: Engine,
  source: AsyncIterable<Uint8Array>,
  given?: CsvImportOptions,
): Promise<ImportReport> {
  const { delimiter, ...options } = readOptions(given)
  if (delimiter !== undefined && !/^[^"\r\n]$/.test(delimiter))
    throw invalidOption('delimiter', 'must be one character, and neither a quotation mark nor a line break')
  return await importRecords(engine, rowsOf(decompressed(source), delimiter), options)
}

/** A row and the number of lines up to its end, as csv-parse reports them. */
interface ParsedRow {
  record: Record<string, string>
  info: { lines: number; bytes: number }
}

async function* rowsOf(
  source: AsyncGenerator<Uint8Array>,
  delimiter: string | undefined,
): AsyncGenerator<SourceRecord> {
  const first = await source.next()
  if (first.done) return
  async function* whole() {
    for (let next = first; !next.done; next = await source.next()) yield next.value
  }
  const skipped: CsvError[] = []
  const parser = parse({
    delimiter: delimiter ?? delimiterOf(first.value),
    columns: true,
    bom: true,
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: error => {
      if (error) skipped.push(error)
      return undefined
    },
    max_record_size: MAX_RECORD_BYTES,
  })
  const input = Readable.from(whole(), { objectMode: false })
  let broken: unknown
  input.on('error', error => {
    broken = error
    parser.destroy(error)
  })
  input.pipe(parser)
  let lines = 1
  let bytes = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      for (const error of skipped.splice(0)) yield wrongRow(error)
      const row = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''))
      yield { where: `line ${lines + 1}`, size: info.bytes - bytes, read: () => row }
      lines = info.lines
      bytes = info.bytes
    }
    for (const error of skipped.splice(0)) yield wrongRow(error)
  } catch (cause) {
    if (broken !== undefined) throw broken
    if (!(cause instanceof CsvError)) throw cause
    throw badRecord(reasonOf(cause))
  } finally {
    input.destroy()
    parser.destroy()
  }
}

/** Returns the delimiter that occurs most in the first line, outside of quotation marks. */
function delimiterOf(chunk: Uint8Array): string {
  const [header = ''] = Buffer.from(chunk)
    .toString('utf8')
    .split(/[\r\n]/, 1)
  const plain = header.replace(/"[^"]*"/g, '')
  const count = (delimiter: string): number => plain.split(delimiter).length
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best))
}

function wrongRow(error: CsvError): SourceRecord {
  const { lines } = error as CsvError & { lines?: number }
  return {
    where: `line ${lines}`,
    size: 0,
    read: () => {
      throw badRecord(reasonOf(error))
    },
  }
}

const reasons: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_COLUMNS: 'the row has another number of values than the first row',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'the row has another number of values than the first row',
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a closing quotation mark must be followed by a delimiter or the end of the line',
  INVALID_OPENING_QUOTE:
    'a quotation mark is allowed only at the beginning of a value, or doubled inside of quotation marks',
  CSV_MAX_RECORD_SIZE: `the row is longer than ${MAX_RECORD_BYTES} bytes`,
}

function reasonOf({ code }: CsvError): string {
  return reasons[code] ?? 'the row is not valid CSV'
}
