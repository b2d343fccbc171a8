import type { BenchPage } from '../apparatus/page-file.ts'
import { seededRandom } from '../apparatus/random.ts'
import { type Survey, Surveyor } from '../apparatus/survey.ts'
import { acquiredAtOf, type CorpusSettings, SyntheticCorpus } from '../apparatus/synthetic.ts'

/** Maximum number of pages that the queries are drawn from. */
const MOST_SURVEYED = 150_000

/**
 * The language that pages declare: Sotho, which is never detected, and has no stemmer. The detection of a language takes longer than all
 * else for a page of 20 words.
 */
export const LANG = 'st'

/** Generated pages, each with the URL of an earlier one in one case of four. All follows from the settings, so a page can be made again. */
export class CapturedPages {
  readonly settings: CorpusSettings
  /** Number of URLs. */
  readonly urls: number
  readonly #corpus: SyntheticCorpus
  /** The first capture of the URL of each capture. */
  readonly #first: Int32Array
  /** The next capture of the URL of each capture; 0 if there is none. */
  readonly #next: Int32Array

  constructor(settings: CorpusSettings) {
    const { pages, seed } = settings
    this.settings = settings
    this.#corpus = new SyntheticCorpus(settings)
    const first = Int32Array.from({ length: pages }, (_, number) => number)
    const next = new Int32Array(pages)
    const last = Int32Array.from(first)
    const random = seededRandom(seed, 0x53)
    let urls = pages
    for (let number = 3; number < pages; number += 4) {
      const url = first[random.below(number)]!
      first[number] = url
      next[last[url]!] = number
      last[url] = number
      urls--
    }
    this.#first = first
    this.#next = next
    this.urls = urls
  }

  page(number: number): BenchPage {
    const page = this.#corpus.page(number)
    const first = this.#first[number]!
    return first === number ? page : { ...page, url: this.#corpus.page(first).url }
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

  survey(): Survey {
    const { pages, seed } = this.settings
    const every = Math.ceil(pages / MOST_SURVEYED)
    const surveyor = new Surveyor(seed)
    for (let number = 0; number < pages; number += every) surveyor.read(this.page(number))
    return surveyor.survey()
  }
}
