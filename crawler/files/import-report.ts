import { type Engine, isAsofError, type ObservationInput } from '@asof/core'
import type { OptionKinds } from '@asof/core/options'

/** The result of an import. An "item" is a line of JSON Lines, a record of a WARC file, or a file of a folder. */
export interface ImportReport {
  /** Number of items read, valid or not, without blank lines. */
  read: number
  /** Number of items skipped because of the option `skip`. They count as read. */
  skipped: number
  /** Number of captures added. */
  added: number
  /** Number of captures whose text was already in the index, but with other metadata: date, author, structured data and the like. */
  revised: number
  /** Number of captures whose text and metadata were already in the index, and of declared sightings and aliases. */
  unchanged: number
  /** Number of declared removals. */
  removed: number
  /** Number of items that could not be imported. */
  failed: number
  /** Number of publish dates left out because they are after the acquisition. They also count as warnings. */
  datesDropped: number
  /** Number of values that were left out or cut, although their item was imported. */
  warnings: number
  /** The first 100 warnings. */
  warned: ImportWarning[]
  /** The first 100 unknown fields of lines, which the import ignores, each once. */
  unknownFields: UnknownField[]
  /** Number of files in a folder that were left out, by their file name extension in lower case; '' for files without one. */
  leftOut: Record<string, number>
  /** The first 100 failures, in the order in which they were found. The engine finds failures only when it commits. */
  errors: ImportFailure[]
}

/** An item that could not be imported. */
export interface ImportFailure {
  /** `line 12`, `record 12` or the path of a file. */
  where: string
  url?: string
  code: string
  /** The message, with the field names of JSON Lines: `unchanged_since`. */
  message: string
}

/** A value that was left out or cut. */
export interface ImportWarning {
  /** `line 12`, `record 12` or the path of a file. The URL if a commit has several items of the URL. */
  where: string
  url: string
  /** The name of the field in JSON Lines: `published_at`. */
  field: string
  /** Why the value was changed, with the field names of JSON Lines. */
  reason: string
}

/** An unknown field of a line. */
export interface UnknownField {
  /** The first place with the field: `line 12`. */
  where: string
  field: string
  /** A hint for the message: "did you mean title?", or the known names. */
  hint: string
}

/** Options of every import. */
export interface ImportOptions {
  /** Stops the import after the current commit. */
  signal?: AbortSignal
  /** Number of lines, files or pages to skip at the beginning, because an earlier import added them. Default 0. */
  skip?: number
  /** Called after each commit with the report so far. Its `read` is the number of items that are in the index or were skipped. */
  onProgress?: (report: Readonly<ImportReport>) => void
}

export const importOptionKinds: OptionKinds<ImportOptions> = {
  signal: 'signal',
  skip: 'number',
  onProgress: 'function',
}

const maxErrors = 100
// A commit becomes a segment of the index. Larger segments cost less to build and to merge, but an interrupted import repeats up to
// two commits.
const maxItems = 2000
const maxBytes = 16 * 1024 * 1024

/** An observation, and the place in the input that it comes from. */
interface Item {
  observation: ObservationInput
  where: string
}

/** Collects the items of an import, adds many of them to the engine at a time, and assigns each failure to its place in the input. */
export class ImportBuffer {
  readonly report: ImportReport = emptyImport()
  readonly #engine: Engine
  readonly #onProgress: ((report: Readonly<ImportReport>) => void) | undefined
  #toSkip: number
  #items: Item[] = []
  #bytes = 0
  /** Resolves when the last commit that was sent is in the index. */
  #sent: Promise<void> = Promise.resolve()

  constructor(engine: Engine, { onProgress, skip = 0 }: ImportOptions) {
    this.#engine = engine
    this.#onProgress = onProgress
    this.#toSkip = skip
  }

  /** Counts the next item as skipped and returns true, if the option `skip` includes it. */
  skipNext(): boolean {
    if (this.#toSkip === 0) return false
    this.#toSkip--
    this.report.read++
    this.report.skipped++
    return true
  }

  /**
   * Adds an observation of about `size` bytes. When enough are collected they are sent to the engine, and the next ones are collected
   * meanwhile.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine, for these observations or the ones before.
   */
  async add(observation: ObservationInput, where: string, size: number): Promise<void> {
    this.#items.push({ observation, where })
    this.#bytes += size
    if (this.#items.length >= maxItems || this.#bytes >= maxBytes) await this.#send()
  }

  /** Reports an unknown field, once. */
  noteUnknown(unknown: UnknownField): void {
    const { unknownFields } = this.report
    if (unknownFields.length >= maxErrors || unknownFields.some(({ field }) => field === unknown.field)) return
    unknownFields.push(unknown)
  }

  /** Counts a file that is left out because of its type. */
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
   * Sends the remaining items. Resolves when all items are in the index.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine.
   */
  async flush(): Promise<void> {
    await this.#send()
    await this.#sent
  }

  async #send(): Promise<void> {
    // One commit runs at a time, so that the captures of a URL are added in the order of their lines.
    await this.#sent
    const items = this.#items
    if (items.length === 0) return
    this.#items = []
    this.#bytes = 0
    this.#sent = this.#deliver(items, this.report.read)
    // The next call of #send or flush gets the failure. Until then it must not be an unhandled rejection.
    this.#sent.catch(() => {})
  }

  /** @param read - number of items that had been read when these items were sent. */
  async #deliver(items: readonly Item[], read: number): Promise<void> {
    const report = await this.#engine.add(items.map(({ observation }) => observation))
    const { added, revised, unchanged, removed, failed, warnings } = report
    this.report.added += added
    this.report.revised += revised
    this.report.unchanged += unchanged
    this.report.removed += removed
    // A URL may be on several of the lines. The engine reports its failures in the order of these lines.
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

/** Adds up the reports of the parts of an archive. */
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
    // Only archives have parts, and an archive has neither unknown fields nor files that are left out.
    unknownFields: a.unknownFields,
    leftOut: a.leftOut,
    errors: [...a.errors, ...b.errors].slice(0, maxErrors),
  }
}

/** Names of the fields of a line, by their different names in code. */
const lineNames: Readonly<Record<string, string>> = {
  publishedAt: 'published_at',
  acquiredAt: 'acquired_at',
  removedAt: 'removed_at',
  seenAt: 'seen_at',
  unchangedSince: 'unchanged_since',
  aliasedAt: 'aliased_at',
  contentType: 'content_type',
  siteName: 'asof.siteName',
  publishedFrom: 'asof.publishedFrom',
}

/** Matches a name in a message of the engine. A name after a dot, such as `fields.seenAt`, is one that the caller chose. */
const names = new RegExp(`(?<![\\w.])(?:${Object.keys(lineNames).join('|')})\\b`, 'g')

/** Replaces the names in a message of the engine by the names of the fields of a line. Text that it quotes from the caller stays. */
function inLineNames(message: string): string {
  const parts = message.split(/("[^"]*")/)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(names, name => lineNames[name] ?? name))).join('')
}
