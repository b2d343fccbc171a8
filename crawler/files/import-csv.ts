import type { AsofError } from '@asof/core'
import { invalidOption, optionsReader } from '@asof/extract/errors'
import { CsvError, type Info, type Parser, parse } from 'csv-parse'
import { decompressed } from './decompressed.ts'
import {
  importRecords,
  MAX_RECORD_BYTES,
  type RecordImportOptions,
  recordOptionKinds,
  type SourceRecord,
} from './import-records.ts'
import type { ImportReport, ImportTarget } from './import-report.ts'
import { badRecord } from './imported-record.ts'
import { inUtf8, UNREADABLE, type Utf8Text } from './utf8-text.ts'

/** Options of the import of CSV. */
export interface CsvImportOptions extends RecordImportOptions {
  /** The character between two values. Default: the comma, semicolon or tab that occurs most in the first line. */
  delimiter?: string
}

const readOptions = optionsReader<CsvImportOptions>({ ...recordOptionKinds, delimiter: 'string' })

/**
 * Imports captures from CSV (RFC 4180), also compressed by gzip or Zstandard. The encoding is recognized, and a value with bytes that are
 * no text in it makes its row wrong. The first row has the names of the columns, which
 * are the fields of JSON Lines, see `importJsonl`. Columns `fields.NAME` and `fields.NAME:TYPE` are fields to filter by. An empty value
 * counts as absent, and a quotation mark in the wrong place as text. A wrong row is reported by the line in which it begins, and the import
 * continues, unless the row is larger than 32 MiB or 16,384 values or has a quotation mark that is not closed.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type or an unknown field.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine; observations that it acknowledged before are kept.
 */
export async function importCsv(
  engine: ImportTarget,
  source: AsyncIterable<Uint8Array>,
  given?: CsvImportOptions,
): Promise<ImportReport> {
  const { delimiter, ...options } = readOptions(given)
  if (delimiter !== undefined && !/^[^"\r\n]$/.test(delimiter))
    throw invalidOption('delimiter', 'must be one character, and neither a quotation mark nor a line break')
  return await importRecords(engine, rowsOf(inUtf8(decompressed(source)), delimiter), options)
}

/** Maximum number of values of a row, as many as a row of a spreadsheet has. The limit on the size of a row does not count empty values. */
const MAX_VALUES = 16_384

async function* rowsOf(
  { chunks: source, encoding }: Utf8Text,
  delimiter: string | undefined,
): AsyncGenerator<SourceRecord> {
  const first = await source.next()
  if (first.done) return
  const declared = declaredDelimiter(first.value)
  if (declared) first.value = first.value.subarray(declared.end)
  const rows = new Rows(encoding, declared ? 1 : 0)
  const startsWithLf = /^[^\r\n]*\n/.test(Buffer.from(first.value).toString('latin1'))
  const parser = parse({
    delimiter: delimiter ?? declared?.delimiter ?? delimiterOf(first.value),
    bom: true,
    // csv-parse takes the first line break for all. After a LF, the CR of a CR LF would follow a closing quotation mark as text.
    record_delimiter: startsWithLf ? ['\r\n', '\n'] : [],
    skip_empty_lines: true,
    // A quotation mark in the wrong place counts as text. Otherwise csv-parse makes an error for each of them, which holds the whole value.
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record: (record: string[], info) => {
      rows.add(record, info)
      // The parser must not keep rows of its own: it drops them if a later row is wrong.
      return null
    },
  })
  // The callbacks of write and end receive the same errors.
  parser.on('error', () => {})
  try {
    for (let next: IteratorResult<Uint8Array> = first; !next.done; next = await source.next()) {
      const { value } = next
      const error = await errorOf(done => parser.write(value, done))
      yield* rows.take()
      if (error) throw rows.endedBy(error, parser.info)
      if (valuesOf(parser) > MAX_VALUES) throw rows.tooManyValues(parser.info)
    }
    const error = await errorOf(done => parser.end(done))
    yield* rows.take()
    if (error) throw rows.endedBy(error, parser.info)
  } finally {
    parser.destroy()
    await source.return(undefined)
  }
}

/** Returns the number of values of the row that the parser is in. */
function valuesOf(parser: Parser): number {
  // The types of csv-parse leave out the state.
  return (parser as unknown as { state: { record: readonly string[] } }).state.record.length
}

/** Returns the error that a call of a stream ends with. */
function errorOf(call: (done: (error?: Error | null) => void) => void): Promise<Error | undefined> {
  return new Promise(resolve => call(error => resolve(error ?? undefined)))
}

/** Collects the rows that the parser finds in one piece of the input. */
class Rows {
  #header: string[] | undefined
  #found: SourceRecord[] = []
  #failure: AsofError | undefined
  /** Number of lines of the rows before the next one, without blank lines. csv-parse counts CR LF in a value as two lines. */
  #lines: number
  /** Number of bytes up to the end of the last row. */
  #bytes = 0
  readonly #encoding: () => string

  /**
   * @param encoding - returns the name of the encoding, for errors.
   * @param lines - number of lines before the first row.
   */
  constructor(encoding: () => string, lines: number) {
    this.#encoding = encoding
    this.#lines = lines
  }

  add(record: string[], info: Info): void {
    if (this.#failure) return
    if (record.length > MAX_VALUES) {
      this.#failure = this.tooManyValues(info)
      return
    }
    const header = this.#header
    if (header)
      this.#found.push({
        where: this.#nextLine(info),
        size: info.bytes - this.#bytes,
        read: () => {
          if (record.length !== header.length)
            throw badRecord('the row has another number of values than the first row')
          const column = record.findIndex(value => value.includes(UNREADABLE))
          if (column >= 0) throw badRecord(`the column ${header[column]} has bytes that are not ${this.#encoding()}`)
          return Object.fromEntries(header.map((name, i) => [name, record[i]]).filter(([, value]) => value !== ''))
        },
      })
    else if (record.some(name => name.includes(UNREADABLE)))
      this.#failure = this.#ended(info, `has bytes that are not ${this.#encoding()} in the name of a column`)
    else this.#header = record
    this.#lines += 1 + lineBreaksIn(record)
    this.#bytes = info.bytes
  }

  /**
   * Yields the rows since the last call.
   *
   * @throws ASOF_INVALID_CAPTURE - the input has a row after which no others can be read.
   */
  *take(): Generator<SourceRecord> {
    yield* this.#found.splice(0)
    if (this.#failure) throw this.#failure
  }

  tooManyValues(info: Info): AsofError {
    return this.#ended(info, `has more than ${MAX_VALUES} values`)
  }

  /** Returns the error for the row in which the parser gave up. */
  endedBy(error: Error, info: Info): Error {
    if (!(error instanceof CsvError)) return error
    return this.#ended(info, reasons[error.code] ?? 'is not valid CSV')
  }

  #ended(info: Info, why: string): AsofError {
    return badRecord(`the row in ${this.#nextLine(info)} ${why}; the import ends there`)
  }

  /** Returns the line in which the next row begins. */
  #nextLine({ empty_lines }: Info): string {
    return `line ${1 + this.#lines + empty_lines}`
  }
}

function lineBreaksIn(record: readonly string[]): number {
  let count = 0
  // A CR at the end belongs to the end of the row, if only some rows end with CR LF.
  for (const value of record) if (/[\r\n]/.test(value)) for (const _ of value.matchAll(/\r(?!\n|$)|\n/g)) count++
  return count
}

/** Returns the delimiter in a first line such as `sep=;`, which Excel reads and writes. */
function declaredDelimiter(chunk: Uint8Array): { delimiter: string; end: number } | undefined {
  const [line, delimiter] =
    /^(?:\u00ef\u00bb\u00bf)?"?sep=([^"\r\n])"?\r?\n/i.exec(Buffer.from(chunk.subarray(0, 20)).toString('latin1')) ?? []
  return line === undefined || delimiter === undefined ? undefined : { delimiter, end: line.length }
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

/** Why no row after a wrong one can be read. */
const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quotation mark that is not closed',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes`,
}
