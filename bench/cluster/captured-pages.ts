import type { BenchPage } from '../apparatus/page-file.ts'
import { seededRandom } from '../apparatus/random.ts'
import { type Survey, Surveyor } from '../apparatus/survey.ts'
import { acquiredAtOf, type CorpusSettings, SyntheticCorpus } from '../apparatus/synthetic.ts'

/** Maximum number of pages that the queries are drawn from. */
const MAX_SURVEYED = 150_000

/**
 * The language that pages declare. Like pages in English, they have no stems besides their words. In most other languages they would have
 * both, and so up to twice as many terms.
 */
export const LANG = 'en'

/** Texts that recur together. */
export const BLOCK = 1_000
/** A page is captured again within a million captures, so after each million all histories are whole. */
export const MILLION = 1_000_000

export interface CapturedPagesSettings extends CorpusSettings {
  /**
   * Number of pages that have the same text. Each thousand texts recurs so often before the next thousand begins. So most of the analysis of
   * millions of captures can be left out.
   */
  copies: number
}

/**
 * Generated pages, each with the URL of an earlier one and another text in one case of four. All follows from the settings, so a page can
 * be made again.
 */
export class CapturedPages {
  readonly settings: CapturedPagesSettings
  readonly #corpus: SyntheticCorpus
  /** The first capture of the URL of each capture. */
  readonly #first: Int32Array
  /** For each capture, the number of the next capture of the same URL; 0 if none follows. */
  readonly #next: Int32Array

  constructor(settings: CapturedPagesSettings) {
    const { pages, seed } = settings
    this.settings = settings
    this.#corpus = new SyntheticCorpus(settings)
    const first = Int32Array.from({ length: pages }, (_, number) => number)
    const next = new Int32Array(pages)
    const last = Int32Array.from(first)
    const random = seededRandom(seed, 0x53)
    for (let number = 3; number < pages; number += 4) {
      const from = number - (number % MILLION)
      const url = first[from + random.below(number - from)]!
      if (this.textOf(last[url]!) === this.textOf(number)) continue
      first[number] = url
      next[last[url]!] = number
      last[url] = number
    }
    this.#first = first
    this.#next = next
  }

  /** The number of the text of a capture. */
  textOf(number: number): number {
    return Math.floor(number / (BLOCK * this.settings.copies)) * BLOCK + (number % BLOCK)
  }

  /** The page that has a text first, with the instant at which it would be captured if each text were there once. */
  text(number: number): BenchPage {
    return this.#corpus.page(number)
  }

  /** @param text - the page that has the text of the capture first, if it is known. */
  page(number: number, text = this.text(this.textOf(number))): BenchPage {
    const acquiredAt = acquiredAtOf(number, this.settings.pages)
    const { publishedAt } = text
    return {
      ...{ number, url: this.#url(number, text), title: text.title, text: text.text, acquiredAt },
      ...(publishedAt !== undefined && { publishedAt: publishedAt + acquiredAt - text.acquiredAt }),
    }
  }

  #url(number: number, text: BenchPage): string {
    const first = this.#first[number]!
    const { url } = first === number ? text : this.text(this.textOf(first))
    return `${url.slice(0, url.lastIndexOf('/') + 1)}${first}`
  }

  /** The pages from one number up to another one, exclusive. */
  range(from: number, to: number): BenchPage[] {
    const end = Math.min(to, this.settings.pages)
    return Array.from({ length: Math.max(0, end - from) }, (_, i) => this.page(from + i))
  }

  /** The instant at which the next capture of the URL supersedes a capture, epoch ms; undefined if it is the last one. */
  supersededAt(number: number): number | undefined {
    const next = this.#next[number]!
    return next === 0 ? undefined : acquiredAtOf(next, this.settings.pages)
  }

  /** All captures of the URL of a capture. */
  historyOf(number: number): number[] {
    const history = [this.#first[number]!]
    for (let next = this.#next[history[0]!]!; next !== 0; next = this.#next[next]!) history.push(next)
    return history
  }

  /** Number of URLs of the first captures. */
  urls(captures: number): number {
    return this.#first.subarray(0, captures).reduce((urls, first, number) => urls + Number(first === number), 0)
  }

  /** Surveys the first captures. */
  survey(captures: number): Survey {
    const { seed } = this.settings
    const every = Math.ceil(captures / MAX_SURVEYED)
    const surveyor = new Surveyor(seed)
    for (let number = 0; number < captures; number += every) surveyor.read(this.page(number))
    return surveyor.survey()
  }
}
