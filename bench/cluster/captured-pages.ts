import type { BenchPage } from '../apparatus/page-file.ts'
import { seededRandom } from '../apparatus/random.ts'
import { type Survey, Surveyor } from '../apparatus/survey.ts'
import { acquiredAtOf, type CorpusSettings, SyntheticCorpus } from '../apparatus/synthetic.ts'

/** Maximum number of pages that the queries are drawn from. */
const MAX_SURVEYED = 150_000

/**
 * The language that pages declare. In English, a word is indexed as one term. In most other languages its stem is a second term, so pages would
 * have up to twice as many terms.
 */
export const LANG = 'en'

/** Number of texts in a block. The texts of a block recur together, see {@link CapturedPagesSettings.copies}. */
export const BLOCK = 1_000
/** All captures of a URL are in the same million captures. So the histories are complete after each million. */
export const MILLION = 1_000_000

export interface CapturedPagesSettings extends CorpusSettings {
  /**
   * Number of pages that have the same text. Each block of {@link BLOCK} texts occurs this number of times before the next block begins. So
   * a text is analyzed once for all its pages.
   */
  copies: number
}

/**
 * Generated captures. About one in four has the URL of an earlier capture and another text; the others have new URLs. Everything follows from
 * the settings, so each capture can be generated again.
 */
export class CapturedPages {
  readonly settings: CapturedPagesSettings
  readonly #corpus: SyntheticCorpus
  /** For each capture, the number of the first capture of the same URL. */
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

  /** Returns the number of the text of a capture. */
  textOf(number: number): number {
    return Math.floor(number / (BLOCK * this.settings.copies)) * BLOCK + (number % BLOCK)
  }

  /** Returns the page that has the text with a number. Its `acquiredAt` is the one that it would have if each text occurred once. */
  text(number: number): BenchPage {
    return this.#corpus.page(number)
  }

  /** Returns a capture. @param text - the page with its text, see {@link text}. Default: it is generated. */
  page(number: number, text = this.text(this.textOf(number))): BenchPage {
    const acquiredAt = acquiredAtOf(number, this.settings.pages)
    const { publishedAt } = text
    return {
      number,
      url: this.#url(number, text),
      title: text.title,
      text: text.text,
      acquiredAt,
      publishedAt: publishedAt === undefined ? undefined : publishedAt + acquiredAt - text.acquiredAt,
    }
  }

  #url(number: number, text: BenchPage): string {
    const first = this.#first[number]!
    const { url } = first === number ? text : this.text(this.textOf(first))
    return `${url.slice(0, url.lastIndexOf('/') + 1)}${first}`
  }

  /** Returns the captures from one number up to another one, exclusive. */
  range(from: number, to: number): BenchPage[] {
    const end = Math.min(to, this.settings.pages)
    return Array.from({ length: Math.max(0, end - from) }, (_, i) => this.page(from + i))
  }

  /** Returns the instant at which the next capture of the URL supersedes a capture, epoch ms; undefined if none follows. */
  supersededAt(number: number): number | undefined {
    const next = this.#next[number]!
    return next === 0 ? undefined : acquiredAtOf(next, this.settings.pages)
  }

  /** Returns the numbers of all captures that have the URL of a capture. */
  historyOf(number: number): number[] {
    const history = [this.#first[number]!]
    for (let next = this.#next[history[0]!]!; next !== 0; next = this.#next[next]!) history.push(next)
    return history
  }

  /** Returns the number of URLs that the first captures have. @param captures - number of captures. */
  urls(captures: number): number {
    return this.#first.subarray(0, captures).reduce((urls, first, number) => urls + Number(first === number), 0)
  }

  /** Surveys the first captures. @param captures - number of captures. */
  survey(captures: number): Survey {
    const { seed } = this.settings
    const every = Math.ceil(captures / MAX_SURVEYED)
    const surveyor = new Surveyor(seed)
    for (let number = 0; number < captures; number += every) surveyor.read(this.page(number))
    return surveyor.survey()
  }
}
