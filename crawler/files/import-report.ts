import { type Engine, isAsofError, type ObservationInput } from '@asof/core'
import type { OptionKinds } from '@asof/core/options'
import { inLineNames } from './line-names.ts'

/** The result of an import. An "item" is a line, a file or a page, depending on the kind of import. */
export interface ImportReport {
  /** Items read, good or bad, without blank lines. */
  read: number
  /** Items skipped because of the option `skip`; they count as read. */
  skipped: number
  /** Captures added. */
  added: number
  /** Captures whose text was already in the index with other metadata: date, author, structured data and the like. */
  revised: number
  /** Captures whose text and metadata were already in the index, and declared sightings and aliases. */
  unchanged: number
  /** Declared removals. */
  removed: number
  /** Items that could not be imported. */
  failed: number
  /** Publish dates left out because they are after the acquisition. They count as warnings too. */
  datesDropped: number
  /** Values that were left out or cut, although their item was imported. */
  warnings: number
  /** The first 100 warnings. */
  warned: ImportWarning[]
  /** The first 100 fields of lines that the import does not know and ignores, each once. */
  unknownFields: UnknownField[]
  /** Number of files of a folder that were left out because of their ending, by ending in lower case; '' for none. */
  leftOut: Record<string, number>
  /** The first 100 failures, in the order in which they were found: those that the engine reports come with their batch. */
  errors: ImportFailure[]
}

/** An item that could not be imported. */
export interface ImportFailure {
  /** `line 12`, `record 12` or the path of a file. */
  where: string
  url?: string
  code: string
  /** Names fields as in JSON lines: `unchanged_since`. */
  message: string
}

/** A value that was left out or cut. */
export interface ImportWarning {
  /** `line 12`, `record 12` or the path of a file; the URL if a batch contains it more than once. */
  where: string
  url: string
  /** The field, under its name in JSON lines: `published_at`. */
  field: string
  /** Names other fields as in JSON lines too. */
  reason: string
}

/** A field of a line that the import does not know. */
export interface UnknownField {
  /** The first place: `line 12`. */
  where: string
  field: string
  /** The end of a message: "did you mean title?", or the known names. */
  hint: string
}

/** Options of every import. */
export interface ImportOptions {
  /** Stops the import after the current batch. */
  signal?: AbortSignal
  /** Number of lines, files or pages to skip at the beginning, because an earlier import added them. Default 0. */
  skip?: number
  /** Called after each batch with the report so far; `read` is the number of items that are in the index or skipped. */
  onProgress?: (report: Readonly<ImportReport>) => void
}

export const importOptionKinds: OptionKinds<ImportOptions> = {
  signal: 'signal',
  skip: 'number',
  onProgress: 'function',
}

const maxErrors = 100
// A batch becomes a segment of the index, and larger segments cost less to build and to merge. An interrupted import
// repeats up to two batches.
const batchCaptures = 2000
const batchBytes = 16 * 1024 * 1024

/** An observation, and the place where the import read it. */
interface Item {
  observation: ObservationInput
  where: string
}

/** Collects what an import reads, adds it to the engine in batches, and assigns each failure to its line, record or file. */
export class ImportBatch {
  readonly report: ImportReport = emptyImport()
  readonly #engine: Engine
  readonly #onProgress: ((report: Readonly<ImportReport>) => void) | undefined
  #toSkip: number
  #items: Item[] = []
  #bytes = 0
  /** Resolves when the last batch that was sent is in the index. */
  #sent: Promise<void> = Promise.resolve()

  constructor(engine: Engine, { onProgress, skip = 0 }: ImportOptions) {
    this.#engine = engine
    this.#onProgress = onProgress
    this.#toSkip = skip
  }

  /** Returns true if the next item is to be skipped because of the option `skip`, and counts it as read and skipped. */
  skipNext(): boolean {
    if (this.#toSkip === 0) return false
    this.#toSkip--
    this.report.read++
    this.report.skipped++
    return true
  }

  /**
   * Adds an observation of about `size` bytes. A full batch is sent to the engine, and the next one is collected meanwhile.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine, for this batch or the one before.
   */
  async add(observation: ObservationInput, where: string, size: number): Promise<void> {
    this.#items.push({ observation, where })
    this.#bytes += size
    if (this.#items.length >= batchCaptures || this.#bytes >= batchBytes) await this.#send()
  }

  /** Reports a field that the import does not know, once. */
  noteUnknown(unknown: UnknownField): void {
    const { unknownFields } = this.report
    if (unknownFields.length >= maxErrors || unknownFields.some(({ field }) => field === unknown.field)) return
    unknownFields.push(unknown)
  }

  /** Counts a file that is left out because of its ending. */
  leaveOut(ending: string): void {
    const { leftOut } = this.report
    const name = Object.hasOwn(leftOut, ending) || Object.keys(leftOut).length < maxErrors ? ending : ''
    leftOut[name] = (leftOut[name] ?? 0) + 1
  }

  /** Reports an item that could not be imported. */
  fail(where: string, error: unknown, url?: string): void {
    this.report.failed++
    if (this.report.errors.length >= maxErrors) return
    this.report.errors.push({
      where,
      url,
      code: isAsofError(error) ? error.code : 'ERR_UNEXPECTED',
      message: inLineNames(error instanceof Error ? error.message : String(error)),
    })
  }

  #warn(warning: ImportWarning): void {
    this.report.warnings++
    if (warning.field === 'publishedAt') this.report.datesDropped++
    if (this.report.warned.length >= maxErrors) return
    const { field, reason } = warning
    this.report.warned.push({ ...warning, field: inLineNames(field), reason: inLineNames(reason) })
  }

  /**
   * Sends the last batch, and resolves when everything is in the index.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine.
   */
  async flush(): Promise<void> {
    await this.#send()
    await this.#sent
  }

  async #send(): Promise<void> {
    // One batch at a time, so that the captures of a URL are added in the order of their lines.
    await this.#sent
    const items = this.#items
    if (items.length === 0) return
    this.#items = []
    this.#bytes = 0
    this.#sent = this.#deliver(items, this.report.read)
    // The next call of #send or flush gets the failure; until then it must not be an unhandled rejection.
    this.#sent.catch(() => {})
  }

  /** @param read - number of items that had been read when the batch was full. */
  async #deliver(items: readonly Item[], read: number): Promise<void> {
    const report = await this.#engine.add(items.map(({ observation }) => observation))
    const { added, revised, unchanged, removed, failed, warnings } = report
    this.report.added += added
    this.report.revised += revised
    this.report.unchanged += unchanged
    this.report.removed += removed
    // A URL may be on several lines of a batch; its failures come in the order of those lines.
    const places = Map.groupBy(items, ({ observation }) => observation.url)
    for (const warning of warnings) {
      const [place, ...others] = places.get(warning.url) ?? []
      this.#warn({ where: place && others.length === 0 ? place.where : warning.url, ...warning })
    }
    for (const { url, error } of failed) this.fail(places.get(url)?.shift()?.where ?? url, error, url)
    this.#onProgress?.({ ...this.report, read })
  }
}

function emptyImport(): ImportReport {
  return {
    read: 0,
    skipped: 0,
    added: 0,
    revised: 0,
    unchanged: 0,
    removed: 0,
    failed: 0,
    datesDropped: 0,
    warnings: 0,
    warned: [],
    unknownFields: [],
    leftOut: {},
    errors: [],
  }
}

/** Adds up the reports of the parts of one file. */
export class ImportTotal {
  readonly report: ImportReport = emptyImport()
  readonly #options: ImportOptions

  constructor(options: ImportOptions) {
    this.#options = options
  }

  /** Returns the options for the import of the next part. */
  optionsOfNext<T extends ImportOptions>(): T {
    const before = { ...this.report }
    const { onProgress, skip = 0 } = this.#options
    return {
      ...this.#options,
      skip: Math.max(0, skip - before.read),
      onProgress: onProgress && ((part: Readonly<ImportReport>) => onProgress(sum(before, part))),
    } as T
  }

  /**
   * Adds the report of a part.
   *
   * @param name - the name of the part, which is put before the places of its failures and warnings.
   */
  add(name: string, part: ImportReport): void {
    const errors = part.errors.map(error => ({ ...error, where: `${name}, ${error.where}` }))
    const warned = part.warned.map(warning => ({ ...warning, where: `${name}, ${warning.where}` }))
    Object.assign(this.report, sum(this.report, { ...part, errors, warned }))
  }
}

function sum(a: Readonly<ImportReport>, b: Readonly<ImportReport>): ImportReport {
  return {
    read: a.read + b.read,
    skipped: a.skipped + b.skipped,
    added: a.added + b.added,
    revised: a.revised + b.revised,
    unchanged: a.unchanged + b.unchanged,
    removed: a.removed + b.removed,
    failed: a.failed + b.failed,
    datesDropped: a.datesDropped + b.datesDropped,
    warnings: a.warnings + b.warnings,
    warned: [...a.warned, ...b.warned].slice(0, maxErrors),
    // Only the parts of an archive are added up, which have neither fields nor files of other endings.
    unknownFields: a.unknownFields,
    leftOut: a.leftOut,
    errors: [...a.errors, ...b.errors].slice(0, maxErrors),
  }
}
