import { type CaptureInput, type Engine, isAsofError } from '../core/index.ts'

/** What an import has done. */
export interface ImportReport {
  /** Lines or files read, good or bad, without blank ones. */
  read: number
  /** Captures added. */
  added: number
  /** Captures whose content was already there. */
  unchanged: number
  /** Lines or files that could not be taken. */
  failed: number
  /** Publish dates dropped because they lie after the acquisition. */
  datesDropped: number
  /** The first 100 failures, in the order they were found: the engine's own come with their batch. */
  errors: ImportFailure[]
}

export interface ImportFailure {
  /** `line 12` or a file's path. */
  where: string
  url?: string
  code: string
  message: string
}

const maxErrors = 100
const batchCaptures = 500
const batchBytes = 16 * 1024 * 1024

/** Collects what an import reads and hands it to the engine in batches, so that each failure finds its line. */
export class ImportBatch {
  readonly report: ImportReport = { read: 0, added: 0, unchanged: 0, failed: 0, datesDropped: 0, errors: [] }
  readonly #engine: Engine
  readonly #onProgress: ((report: Readonly<ImportReport>) => void) | undefined
  #items: { capture: CaptureInput; where: string }[] = []
  #bytes = 0

  constructor(engine: Engine, onProgress: ((report: Readonly<ImportReport>) => void) | undefined) {
    this.#engine = engine
    this.#onProgress = onProgress
  }

  /** Adds a capture of about `size` bytes; hands the batch over when it is full. */
  async add(capture: CaptureInput, where: string, size: number): Promise<void> {
    this.#items.push({ capture, where })
    this.#bytes += size
    if (this.#items.length >= batchCaptures || this.#bytes >= batchBytes) await this.flush()
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

  /** @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. */
  async flush(): Promise<void> {
    const items = this.#items
    if (items.length === 0) return
    this.#items = []
    this.#bytes = 0
    const { added, unchanged, failed } = await this.#engine.add(items.map(({ capture }) => capture))
    this.report.added += added
    this.report.unchanged += unchanged
    // One URL may stand on several lines of a batch; its failures are theirs in order.
    const places = Map.groupBy(items, ({ capture }) => capture.url)
    for (const { url, error } of failed) this.fail(places.get(url)?.shift()?.where ?? url, error, url)
    this.#onProgress?.(this.report)
  }
}
