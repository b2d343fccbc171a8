import { type CaptureInput, type Engine, isAsofError, type OptionKinds } from '@asof/core'

/** What an import has done. */
export interface ImportReport {
  /** Lines, files or pages read, good or bad, without blank ones. */
  read: number
  /** Those of them that were passed over. */
  skipped: number
  /** Captures added. */
  added: number
  /** Captures whose text was already there, with other metadata: date, author, structured data and the like. */
  revised: number
  /** Captures whose text and metadata were already there. */
  unchanged: number
  /** Lines or files that could not be taken. */
  failed: number
  /** Publish dates left out because they lie after the acquisition. They are among the warnings. */
  datesDropped: number
  /** Values that were left out or cut, although their line or file was taken. */
  warnings: number
  /** The first 100 warnings. */
  warned: ImportWarning[]
  /** The first 100 failures, in the order they were found: the engine's own come with their batch. */
  errors: ImportFailure[]
}

export interface ImportFailure {
  /** `line 12`, `record 12` or a file's path. */
  where: string
  url?: string
  code: string
  message: string
}

/** A value that was not kept as it was given. */
export interface ImportWarning {
  /** `line 12`, `record 12` or a file's path; the URL when a batch has it more than once. */
  where: string
  url: string
  /** The field of `CaptureInput`. */
  field: string
  reason: string
}

/** What every import takes. */
export interface ImportOptions {
  /** Stops the import after the batch in hand. */
  signal?: AbortSignal
  /** Lines, files or pages passed over at the beginning, because an earlier import got so far. Default 0. */
  skip?: number
  /** Called after each batch: so much is in the index, what was passed over included. */
  onProgress?: (report: Readonly<ImportReport>) => void
}

export const importOptionKinds: OptionKinds<ImportOptions> = {
  signal: 'signal',
  skip: 'number',
  onProgress: 'function',
}

const maxErrors = 100
// A batch is a segment of the index: larger ones cost less to build and to merge. No more of an interrupted import is done again.
const batchCaptures = 2000
const batchBytes = 16 * 1024 * 1024

/** Collects what an import reads and hands it to the engine in batches, so that each failure finds its line. */
export class ImportBatch {
  readonly report: ImportReport = emptyImport()
  readonly #engine: Engine
  readonly #onProgress: ((report: Readonly<ImportReport>) => void) | undefined
  #toSkip: number
  #items: { capture: CaptureInput; where: string }[] = []
  #bytes = 0
  /** The batch that is on its way into the index. */
  #sent: Promise<void> = Promise.resolve()

  constructor(engine: Engine, { onProgress, skip = 0 }: ImportOptions) {
    this.#engine = engine
    this.#onProgress = onProgress
    this.#toSkip = skip
  }

  /** Whether the next line, file or page has been imported before; it is counted as read and skipped then. */
  passOver(): boolean {
    if (this.#toSkip === 0) return false
    this.#toSkip--
    this.report.read++
    this.report.skipped++
    return true
  }

  /**
   * Adds a capture of about `size` bytes; hands the batch over when it is full. While it is on its way the next is
   * collected.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine, of this batch or the one before.
   */
  async add(capture: CaptureInput, where: string, size: number): Promise<void> {
    this.#items.push({ capture, where })
    this.#bytes += size
    if (this.#items.length >= batchCaptures || this.#bytes >= batchBytes) await this.#send()
  }

  fail(where: string, error: unknown, url?: string): void {
    this.report.failed++
    if (this.report.errors.length >= maxErrors) return
    this.report.errors.push({
      where,
      ...(url === undefined ? {} : { url }),
      code: isAsofError(error) ? error.code : 'ERR_UNEXPECTED',
      message: error instanceof Error ? error.message : String(error),
    })
  }

  #warn(warning: ImportWarning): void {
    this.report.warnings++
    if (warning.field === 'publishedAt') this.report.datesDropped++
    if (this.report.warned.length < maxErrors) this.report.warned.push(warning)
  }

  /**
   * Hands over what there is, and resolves when all is in the index.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine.
   */
  async flush(): Promise<void> {
    await this.#send()
    await this.#sent
  }

  async #send(): Promise<void> {
    // One at a time: of two captures of a URL the later line must come later.
    await this.#sent
    const items = this.#items
    if (items.length === 0) return
    this.#items = []
    this.#bytes = 0
    this.#sent = this.#deliver(items, this.report.read)
    // Its failure reaches whoever sends or flushes next.
    this.#sent.catch(() => {})
  }

  /** @param read - so much had been read when the batch was full. */
  async #deliver(items: { capture: CaptureInput; where: string }[], read: number): Promise<void> {
    const { added, revised, unchanged, failed, warnings } = await this.#engine.add(items.map(({ capture }) => capture))
    this.report.added += added
    this.report.revised += revised
    this.report.unchanged += unchanged
    // One URL may stand on several lines of a batch; its failures are theirs in order.
    const places = Map.groupBy(items, ({ capture }) => capture.url)
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
    failed: 0,
    datesDropped: 0,
    warnings: 0,
    warned: [],
    errors: [],
  }
}

/** Adds up the imports of the parts of one file. */
export class ImportTotal {
  readonly report: ImportReport = emptyImport()
  readonly #options: ImportOptions

  constructor(options: ImportOptions) {
    this.#options = options
  }

  /** The options for the next part. */
  rest<T extends ImportOptions>(): T {
    const before = { ...this.report }
    const { onProgress, skip = 0 } = this.#options
    return {
      ...this.#options,
      skip: Math.max(0, skip - before.read),
      ...(onProgress && { onProgress: (part: Readonly<ImportReport>) => onProgress(sum(before, part)) }),
    } as T
  }

  /** @param name - of the part; its failures are named after it. */
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
    failed: a.failed + b.failed,
    datesDropped: a.datesDropped + b.datesDropped,
    warnings: a.warnings + b.warnings,
    warned: [...a.warned, ...b.warned].slice(0, maxErrors),
    errors: [...a.errors, ...b.errors].slice(0, maxErrors),
  }
}
