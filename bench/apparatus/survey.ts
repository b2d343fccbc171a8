import type { BenchPage } from './page-file.ts'
import { type Random, seededRandom } from './random.ts'

/** Statistics of a corpus: enough to draw queries and to describe it in a report. */
export interface Survey {
  pages: number
  /** Bytes of all titles and texts. */
  bytes: number
  /** Number of pages whose words were counted: all pages, or every n-th. */
  counted: number
  /** Number of words in the counted pages. */
  words: number
  /** Number of different words in the counted pages. */
  distinct: number
  hosts: number
  /** Number of pages with a publish date. */
  dated: number
  /** The 1,001 quantiles of `publishedAt` of the pages with a date, ascending. Empty if no page has a date. */
  publishedAt: number[]
  /** The 1,001 quantiles of `acquiredAt`, ascending. */
  acquiredAt: number[]
  /** Words grouped by the share of the pages that contain them, see {@link bandShares}. */
  bands: string[][]
  /** Random sample of the pages. */
  samples: Sample[]
}

/** The parts of a page that queries are drawn from. */
export interface Sample {
  site: string
  /** Words in lower case: first the words of the title, then the words of each of the first sentences of the text. */
  sentences: string[][]
}

/** The bands: the share of the pages that contain a word. They are called very common, common, medium and rare. */
const bandShares = [
  { from: 0.1, to: 1.1 },
  { from: 0.01, to: 0.1 },
  { from: 0.001, to: 0.01 },
  { from: 0, to: 0.001 },
]
/** Maximum number of words in a band. A run needs fewer. */
const BAND_WORDS = 20_000
const SAMPLES = 5_000
const SAMPLED_CHARS = 4_000

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Collects the statistics page by page. */
export class Surveyor {
  readonly #random: Random
  readonly #documentFrequency = new Map<string, number>()
  readonly #hosts = new Set<string>()
  readonly #publishedAt: number[] = []
  readonly #acquiredAt: number[] = []
  readonly #samples: BenchPage[] = []
  readonly #countEvery: number
  #pages = 0
  #counted = 0
  #words = 0
  #bytes = 0

  /** @param countEvery - counts words in every n-th page only, since counting all pages of a large corpus takes minutes. */
  constructor(seed: number, countEvery = 1) {
    this.#random = seededRandom(seed, 0x5a)
    this.#countEvery = countEvery
  }

  read(page: BenchPage): void {
    if (this.#pages % this.#countEvery === 0) this.#countWords(page)
    this.#bytes += Buffer.byteLength(page.title) + Buffer.byteLength(page.text)
    this.#hosts.add(new URL(page.url).hostname)
    if (page.publishedAt !== undefined) this.#publishedAt.push(page.publishedAt)
    this.#acquiredAt.push(page.acquiredAt)
    this.#sample(page)
    this.#pages++
  }

  survey(): Survey {
    const random = this.#random
    return {
      pages: this.#pages,
      bytes: this.#bytes,
      counted: this.#counted,
      words: this.#words,
      distinct: this.#documentFrequency.size,
      hosts: this.#hosts.size,
      dated: this.#publishedAt.length,
      publishedAt: thousandths(this.#publishedAt),
      acquiredAt: thousandths(this.#acquiredAt),
      bands: bandShares.map(({ from, to }) =>
        pick(
          [...this.#documentFrequency]
            .filter(([, pages]) => pages >= 2 && pages / this.#counted >= from && pages / this.#counted < to)
            .map(([word]) => word),
          BAND_WORDS,
          random,
        ),
      ),
      samples: this.#samples.map(({ url, title, text }) => ({
        site: new URL(url).hostname,
        sentences: [title, ...text.slice(0, SAMPLED_CHARS).split(/[.!?]\s|\n/)]
          .map(wordsOf)
          .filter(words => words.length > 0),
      })),
    }
  }

  #countWords({ title, text }: BenchPage): void {
    const words = wordsOf(`${title} ${text}`)
    for (const word of new Set(words)) this.#documentFrequency.set(word, (this.#documentFrequency.get(word) ?? 0) + 1)
    this.#words += words.length
    this.#counted++
  }

  /** Reservoir sampling (Vitter 1985, algorithm R). */
  #sample(page: BenchPage): void {
    if (this.#samples.length < SAMPLES) this.#samples.push(page)
    else {
      const place = this.#random.below(this.#pages + 1)
      if (place < SAMPLES) this.#samples[place] = page
    }
  }
}

function thousandths(values: number[]): number[] {
  if (values.length === 0) return []
  const ascending = Float64Array.from(values).sort()
  return Array.from({ length: 1_001 }, (_, i) => ascending[Math.floor((i * (ascending.length - 1)) / 1_000)]!)
}

function pick(words: string[], most: number, random: Random): string[] {
  if (words.length <= most) return words
  for (let i = 0; i < most; i++) {
    const other = i + random.below(words.length - i)
    ;[words[i], words[other]] = [words[other]!, words[i]!]
  }
  return words.slice(0, most)
}
