import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Engine } from '@asof/core'
import { FeedbackStore } from '../feedback/feedback-store.ts'
import { Refetcher } from '../feedback/refetcher.ts'
import { type TrecPart, trecParts } from '../feedback/trec-export.ts'
import type { FeedbackJournal, FeedbackSubmission } from '../index.ts'
import { openRecords } from './open-records.ts'
import type { ServiceDatabase } from './service-database.ts'

interface FeedbackFolderOptions {
  /** The data folder. */
  dir: string
  /** The database that has the feedback. Default: it is in the folder. */
  database?: ServiceDatabase | undefined
  engine: Engine
  /** True to fetch pages again in the background if feedback says that they did not load. */
  refetch: boolean
  /** True to allow fetching from private addresses. */
  allowPrivate: boolean
  now: () => number
  onNotice: (line: string) => void
}

function journalDir(dir: string): string {
  return path.join(dir, 'feedback', 'journal')
}

/** The feedback of a data folder, in the folder or in the database of several servers. Nothing is written to disk before the first feedback. */
export class FeedbackFolder implements FeedbackJournal {
  readonly #options: FeedbackFolderOptions
  #store: Promise<FeedbackStore> | undefined
  #refetcher: Refetcher | undefined

  constructor(options: FeedbackFolderOptions) {
    this.#options = options
  }

  /** Resumes fetching the pages that were still to be fetched again when the folder was closed. */
  async start(): Promise<void> {
    if (this.#options.refetch && this.#exists()) await this.#openOnce()
  }

  async record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }> {
    const store = await this.#openOnce()
    const recorded = await store.record(submission, refetch)
    if (recorded.refetches > 0) this.#refetcher?.wake()
    return recorded
  }

  /** Passes all judgments to `onPart`. Stops when the signal aborts. */
  async export(onPart: (part: TrecPart) => void | Promise<void>, signal?: AbortSignal): Promise<void> {
    if (!this.#exists()) return
    for await (const part of trecParts((await this.#openOnce()).current())) {
      if (signal?.aborted) return
      await onPart(part)
    }
  }

  /** Copies the feedback, if the folder has any, to another data folder. */
  async copyTo(dir: string): Promise<void> {
    if (this.#exists()) await (await this.#openOnce()).copyTo(journalDir(dir))
  }

  async close(): Promise<void> {
    await this.#refetcher?.close()
    // The caller who opened the store already got the failure.
    await (await this.#store?.catch(() => undefined))?.close()
  }

  #exists(): boolean {
    const { dir, database } = this.#options
    return this.#store !== undefined || database !== undefined || existsSync(journalDir(dir))
  }

  #openOnce(): Promise<FeedbackStore> {
    this.#store ??= this.#open().catch((error: unknown) => {
      // Lets the next call try again.
      this.#store = undefined
      throw error
    })
    return this.#store
  }

  async #open(): Promise<FeedbackStore> {
    const { dir, database, refetch, now, onNotice } = this.#options
    const store = await FeedbackStore.open(await openRecords(database, journalDir(dir), 'the feedback'))
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

  /** Crawls only these pages, with the pauses of any crawl and obeying robots.txt. Returns true if all were visited. */
  async #refetch(urls: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { dir, engine, allowPrivate, now } = this.#options
    const seeds: string[] = []
    // Pages that have been removed or purged must not be added again.
    for (const url of urls) if (await engine.page(url, { markdownMaxLength: 0 })) seeds.push(url)
    if (seeds.length === 0) return true
    const crawlDir = path.join(dir, 'feedback', 'refetch')
    const corpus = { name: 'refetch', seeds }
    const { crawl } = await import('../../crawler/index.ts')
    const { finished } = await crawl(engine, corpus, { dir: crawlDir, discover: false, allowPrivate, now, signal })
    if (finished) await rm(crawlDir, { recursive: true, force: true })
    return finished
  }
}
