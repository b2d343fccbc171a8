import type { AddOptions, AddReport, Engine, Failure, ObservationInput } from '@asof/core'
import type { OptionKinds } from '@asof/extract/errors'
import { reportedError } from '../errors.ts'
import { LOSSES_LISTED, noLosses, type TextLosses } from '../report/text-losses.ts'

/** Where an import adds what it reads: an engine, or a server that has one. */
export interface ImportTarget {
  add(observations: ObservationInput[], options?: AddOptions): Promise<AddReport>
  /** Returns what the index has of a page. Only imports of web archives ask. */
  page: Engine['page']
}

/** The result of an import. An item is a line of JSON Lines, a record of a WARC file, or a file in a folder. */
export interface ImportReport extends TextLosses {
  /** Number of items read, valid or not, without blank lines. */
  read: number
  /** Number of items that the option `skip` skipped. They count as read. */
  skipped: number
  /** Number of captures added. */
  added: number
  /**
   * Number of captures with a text that is already in the index, but other metadata: date, author, structured data and
   * the like.
   */
  revised: number
  /**
   * Number of captures that are already in the index with equal text and metadata, and of declared sightings and
   * aliases.
   */
  unchanged: number
  /** Number of declared removals. */
  removed: number
  /** Number of items that could not be imported. */
  failed: number
  /** Number of publish dates that were left out, because they are after the acquisition. They count as warnings too. */
  datesDropped: number
  /** Number of values that were left out or shortened, although their item was imported. */
  warnings: number
  /** The first 100 warnings. */
  warned: ImportWarning[]
  /** The first 100 unknown fields, which are ignored, each once. */
  unknownFields: UnknownField[]
  /** Number of revisits in WARC files whose content is in neither the file nor the index. No page comes of them. */
  unresolvedRevisits: number
  /** The first ten of their URLs. */
  unresolvedRevisitUrls: string[]
  /** Number of files in a folder that were left out, by extension in lower case; '' for files without extension. */
  leftOut: Record<string, number>
  /**
   * Number of XML files in a folder that were left out, by extension in lower case: pictures without text, and files that are not
   * documents, such as settings, data and sitemaps. They count as read.
   */
  otherXml: Record<string, number>
  /** The first 100 failures, in the order in which they were found. Some are found only at a commit. */
  failures: ImportFailure[]
}

/** An item that could not be imported. Its message has field names as in JSON Lines, such as `unchanged_since`. */
export interface ImportFailure extends Omit<Failure, 'url'> {
  /** `line 12`, `record 12`, or the path of a file. */
  where: string
  /** Undefined if the item has none. */
  url?: string
}

/** A value that was left out or shortened. */
export interface ImportWarning {
  /** `line 12`, `record 12`, or the path of a file. If one commit has several items of the URL, the URL. */
  where: string
  url: string
  /** The name of the field as in JSON Lines, such as `published_at`. */
  field: string
  /** Why the value was changed, with field names as in JSON Lines. */
  reason: string
}

/** An unknown field of a line. */
export interface UnknownField {
  /** The first item with the field, such as `line 12`. */
  where: string
  field: string
  /** A hint for the message, such as "did you mean title?" or a list of the known names. */
  hint: string
}

/** Options of all imports. */
export interface ImportOptions {
  /** Stops the import after the current commit. */
  signal?: AbortSignal
  /** Number of lines, files or pages to skip at the beginning, because an earlier import has added them. Default 0. */
  skip?: number
  /** When an embeddings model computes the vectors of the pages, see `add` of the engine. Default `now`. */
  vectors?: AddOptions['vectors']
  /** Called after each commit with the report so far. Its `read` counts items that are in the index or were skipped. */
  onProgress?: (report: Readonly<ImportReport>) => void
}

export const importOptionKinds: OptionKinds<ImportOptions> = {
  signal: 'signal',
  skip: 'number',
  vectors: 'string',
  onProgress: 'function',
}

const MAX_ERRORS = 100
// Limits of one commit. Each commit becomes a segment, and larger ones cost less. But an interrupted import repeats up
// to two commits.
const MAX_ITEMS = 2000
const MAX_BYTES = 16 * 1024 * 1024

/** An observation, and where in the input it is. */
interface Item {
  observation: ObservationInput
  where: string
}

/**
 * Collects items of an import and adds them to the engine in groups. Reports each failure with its place in the input.
 */
export class ImportBuffer {
  readonly report: ImportReport = emptyImport()
  readonly #engine: ImportTarget
  readonly #added: AddOptions
  readonly #onProgress: ((report: Readonly<ImportReport>) => void) | undefined
  #toSkip: number
  #items: Item[] = []
  #bytes = 0
  /** Resolves when the last group that was sent is in the index. */
  #sent: Promise<void> = Promise.resolve()

  constructor(engine: ImportTarget, { onProgress, skip = 0, vectors }: ImportOptions) {
    this.#engine = engine
    this.#added = { vectors }
    this.#onProgress = onProgress
    this.#toSkip = skip
  }

  /** Returns true and counts an item as skipped, as long as the option `skip` applies. */
  skipNext(): boolean {
    if (this.#toSkip === 0) return false
    this.#toSkip--
    this.report.read++
    this.report.skipped++
    return true
  }

  /**
   * Adds an observation of about `size` bytes. Sends a full group to the engine, and collects the next one meanwhile.
   *
   * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine, for this group or an earlier one.
   */
  async add(observation: ObservationInput, where: string, size: number): Promise<void> {
    this.#items.push({ observation, where })
    this.#bytes += size
    if (this.#items.length >= MAX_ITEMS || this.#bytes >= MAX_BYTES) await this.#send()
  }

  /** Reports an unknown field, unless it was reported already. */
  noteUnknown(unknown: UnknownField): void {
    const { unknownFields } = this.report
    if (unknownFields.length >= MAX_ERRORS || unknownFields.some(({ field }) => field === unknown.field)) return
    unknownFields.push(unknown)
  }

  /**
   * Counts a file that is left out.
   *
   * @param among - the count in the report.
   */
  leaveOut(among: 'leftOut' | 'otherXml', ending: string): void {
    const counts = this.report[among]
    const name = Object.hasOwn(counts, ending) || Object.keys(counts).length < MAX_ERRORS ? ending : ''
    counts[name] = (counts[name] ?? 0) + 1
  }

  /** Counts a revisit without known content. */
  noteUnresolved(url: string): void {
    const { report } = this
    report.unresolvedRevisits++
    if (report.unresolvedRevisitUrls.length < LOSSES_LISTED) report.unresolvedRevisitUrls.push(url)
  }

  /** Reports an item that could not be imported. */
  fail(where: string, error: unknown, url?: string): void {
    this.#countFailure(where, reportedError(error), url)
  }

  #countFailure(where: string, failure: Omit<Failure, 'url'>, url?: string): void {
    this.report.failed++
    if (this.report.failures.length >= MAX_ERRORS) return
    const { code, message } = failure
    this.report.failures.push({ where, url, code, message: inLineNames(message) })
  }

  #countLosses({ withoutText, replaced }: Pick<AddReport, 'withoutText' | 'replaced'>): void {
    const { report } = this
    report.withoutText += withoutText.length
    report.withoutTextUrls = [...report.withoutTextUrls, ...withoutText].slice(0, LOSSES_LISTED)
    report.replacedCharacters += replaced.reduce((sum, { characters }) => sum + characters, 0)
    report.replacedUrls = [...report.replacedUrls, ...replaced.map(({ url }) => url)].slice(0, LOSSES_LISTED)
  }

  /** Reports a value that was left out or shortened. */
  warn(warning: ImportWarning): void {
    this.report.warnings++
    if (warning.field === 'publishedAt') this.report.datesDropped++
    if (this.report.warned.length >= MAX_ERRORS) return
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
    // Only one group is sent at a time, so that the captures of a URL are added in order.
    await this.#sent
    const items = this.#items
    if (items.length === 0) return
    this.#items = []
    this.#bytes = 0
    this.#sent = this.#deliver(items, this.report.read)
    // This handler only prevents an unhandled rejection. The next call of #send or flush throws the failure.
    this.#sent.catch(() => {})
  }

  /** @param read - number of items read when this group was sent. */
  async #deliver(items: readonly Item[], read: number): Promise<void> {
    const observed = items.map(({ observation }) => observation)
    const report = await this.#engine.add(observed, this.#added)
    const { added, revised, unchanged, removed, failures, warnings } = report
    this.report.added += added
    this.report.revised += revised
    this.report.unchanged += unchanged
    this.report.removed += removed
    this.#countLosses(report)
    // Several items may have the same URL. The engine reports the failures of a URL in the order of its items.
    const places = Map.groupBy(items, ({ observation }) => observation.url)
    for (const warning of warnings) {
      const [place, ...others] = places.get(warning.url) ?? []
      this.warn({ where: place && others.length === 0 ? place.where : warning.url, ...warning })
    }
    for (const failure of failures) {
      const { url } = failure
      this.#countFailure(places.get(url)?.shift()?.where ?? url, failure, url)
    }
    this.#onProgress?.({ ...this.report, read })
  }
}

function emptyImport(): ImportReport {
  return {
    ...noLosses(),
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
    unresolvedRevisits: 0,
    unresolvedRevisitUrls: [],
    leftOut: {},
    otherXml: {},
    failures: [],
  }
}

/** Adds up the reports of an archive's parts. */
export class ImportTotal {
  readonly report: ImportReport = emptyImport()
  readonly #options: ImportOptions

  constructor(options: ImportOptions) {
    this.#options = options
  }

  /** Returns the options for importing the next part. */
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
   * @param name - the name of the part. It precedes the places of failures and warnings.
   */
  add(name: string, part: ImportReport): void {
    const failures = part.failures.map(failure => ({ ...failure, where: `${name}, ${failure.where}` }))
    const warned = part.warned.map(warning => ({ ...warning, where: `${name}, ${warning.where}` }))
    Object.assign(this.report, sum(this.report, { ...part, failures, warned }))
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
    withoutText: a.withoutText + b.withoutText,
    withoutTextUrls: [...a.withoutTextUrls, ...b.withoutTextUrls].slice(0, LOSSES_LISTED),
    replacedCharacters: a.replacedCharacters + b.replacedCharacters,
    replacedUrls: [...a.replacedUrls, ...b.replacedUrls].slice(0, LOSSES_LISTED),
    failed: a.failed + b.failed,
    datesDropped: a.datesDropped + b.datesDropped,
    warnings: a.warnings + b.warnings,
    warned: [...a.warned, ...b.warned].slice(0, MAX_ERRORS),
    unresolvedRevisits: a.unresolvedRevisits + b.unresolvedRevisits,
    unresolvedRevisitUrls: [...a.unresolvedRevisitUrls, ...b.unresolvedRevisitUrls].slice(0, LOSSES_LISTED),
    // The parts of an archive have no unknown fields and leave out no files.
    unknownFields: a.unknownFields,
    leftOut: a.leftOut,
    otherXml: a.otherXml,
    failures: [...a.failures, ...b.failures].slice(0, MAX_ERRORS),
  }
}

/** Names of fields in JSON Lines, by their names in code. */
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

/** Matches names in messages of the engine, but not after a dot: in `fields.seenAt`, the caller chose the name. */
const names = new RegExp(`(?<![\\w.])(?:${Object.keys(lineNames).join('|')})\\b`, 'g')

/**
 * Replaces the names in a message of the engine by those of JSON Lines. Does not change quoted text, which comes from
 * the caller.
 */
function inLineNames(message: string): string {
  const parts = message.split(/("[^"]*")/)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(names, name => lineNames[name] ?? name))).join('')
}
