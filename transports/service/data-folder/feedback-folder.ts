import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Engine } from '@asof/core'
import { FeedbackStore } from '../feedback/feedback-store.ts'
import { Refetcher } from '../feedback/refetcher.ts'
import { type TrecPart, trecParts } from '../feedback/trec-export.ts'
import type { FeedbackJournal, FeedbackSubmission } from '../index.ts'

export interface FeedbackFolderOptions {
  /** The data folder. */
  dir: string
  engine: Engine
  /** Whether pages are fetched again, in the background. */
  refetch: boolean
  allowPrivate: boolean
  now: () => number
  onNotice: (line: string) => void
}

function journalDir(dir: string): string {
  return path.join(dir, 'feedback', 'journal')
}

/** The feedback of a data folder that this process holds. Nothing is on disk before the first is given. */
export class FeedbackFolder implements FeedbackJournal {
  readonly #options: FeedbackFolderOptions
  #store: Promise<FeedbackStore> | undefined
  #refetcher: Refetcher | undefined

  constructor(options: FeedbackFolderOptions) {
    this.#options = options
  }

  /** Goes on with what was to be fetched again, if anything was. */
  async start(): Promise<void> {
    if (this.#options.refetch && this.#exists()) await this.#opened()
  }

  async record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }> {
    const store = await this.#opened()
    const recorded = await store.record(submission, refetch)
    if (recorded.refetches > 0) this.#refetcher?.wake()
    return recorded
  }

  /** Hands out all judgements, as of the beginning, until the signal aborts. */
  async export(onPart: (part: TrecPart) => void | Promise<void>, signal?: AbortSignal): Promise<void> {
    if (!this.#exists()) return
    for await (const part of trecParts((await this.#opened()).current())) {
      if (signal?.aborted) return
      await onPart(part)
    }
  }

  /** Copies what there is into another data folder. */
  async copyTo(dir: string): Promise<void> {
    if (this.#exists()) await (await this.#opened()).copyTo(journalDir(dir))
  }

  async close(): Promise<void> {
    await this.#refetcher?.close()
    await (await this.#store)?.close()
  }

  #exists(): boolean {
    return this.#store !== undefined || existsSync(journalDir(this.#options.dir))
  }

  #opened(): Promise<FeedbackStore> {
    this.#store ??= this.#open().catch((error: unknown) => {
      // The next call tries again.
      this.#store = undefined
      throw error
    })
    return this.#store
  }

  async #open(): Promise<FeedbackStore> {
    const { dir, refetch, now, onNotice } = this.#options
    const store = await FeedbackStore.open(journalDir(dir))
    if (refetch) {
      this.#refetcher = new Refetcher({
        store,
        now,
        refetch: (urls, signal) => this.#refetch(urls, signal),
        onFailure: failure => onNotice(`pages could not be fetched again after feedback: ${String(failure)}`),
      })
    }
    return store
  }

  /** A crawl of these pages alone, with robots.txt and pauses like any. */
  async #refetch(urls: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { dir, engine, allowPrivate, now } = this.#options
    const seeds: string[] = []
    // What was removed or purged since must not come back.
    for (const url of urls) if (await engine.page(url)) seeds.push(url)
    if (seeds.length === 0) return true
    const crawlDir = path.join(dir, 'feedback', 'refetch')
    const corpus = { name: 'refetch', seeds }
    const { crawl } = await import('../../../crawler/index.ts')
    const { finished } = await crawl(engine, corpus, { dir: crawlDir, discover: false, allowPrivate, now, signal })
    if (finished) await rm(crawlDir, { recursive: true, force: true })
    return finished
  }
}
