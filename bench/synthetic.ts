import { type Random, seededRandom, zipf } from './random.ts'

/** One generated page, ready for `engine.add` and for any rival. */
export interface SyntheticPage {
  number: number
  url: string
  title: string
  text: string
  /** Epoch milliseconds; four pages in five have one. */
  publishedAt?: number
  /** Epoch milliseconds, ascending with the page number. */
  acquiredAt: number
}

export interface CorpusSettings {
  pages: number
  seed: number
  /** Distinct words that may be drawn. */
  vocabulary: number
  /** Mean words a page; lengths are log-normal. */
  meanWords: number
}

export const defaultCorpus: CorpusSettings = { pages: 50_000, seed: 20_261_120, vocabulary: 500_000, meanWords: 300 }

const dayMs = 86_400_000
const firstAt = Date.UTC(2024, 0, 1)
const spanMs = 700 * dayMs
const hosts = 2_000
/** Spread of the log-normal lengths; 0.8 is about what web text shows. */
const lengthSigma = 0.8

// Words end in a, o or u, where no English suffix rule applies: every engine sees the same vocabulary, stemmed or not.
const syllables = [...'bdfgklmnprtz'].flatMap(consonant => [...'aou'].map(vowel => consonant + vowel))

/** The word of a frequency rank: two syllables for the 1,296 most frequent words, then three, then four. */
export function wordOf(rank: number): string {
  let rest = rank
  let length = 2
  while (rest >= syllables.length ** length) rest -= syllables.length ** length++
  let word = ''
  for (let i = 0; i < length; i++) {
    word += syllables[rest % syllables.length]
    rest = Math.floor(rest / syllables.length)
  }
  return word
}

/** A corpus whose every page is a function of the settings and its number. */
export class SyntheticCorpus {
  readonly settings: CorpusSettings
  readonly #words: string[]
  readonly #wordRanks: { draw(random: Random): number }
  readonly #hostRanks = zipf(hosts)

  constructor(settings: CorpusSettings) {
    this.settings = settings
    this.#words = Array.from({ length: settings.vocabulary }, (_, rank) => wordOf(rank))
    this.#wordRanks = zipf(settings.vocabulary)
  }

  acquiredAtOf(number: number): number {
    return firstAt + Math.floor((spanMs * number) / this.settings.pages)
  }

  page(number: number): SyntheticPage {
    const random = seededRandom(this.settings.seed, number)
    const host = `h${this.#hostRanks.draw(random)}.example`
    const mu = Math.log(this.settings.meanWords) - lengthSigma ** 2 / 2
    const words = Math.min(5_000, Math.max(10, Math.round(Math.exp(mu + lengthSigma * random.normal()))))
    const title = this.#sentence(random, 3 + random.below(6))
    const paragraphs: string[] = []
    let paragraph = ''
    for (let left = words; left > 0; ) {
      const length = Math.min(left, 6 + random.below(15))
      paragraph += `${paragraph && ' '}${this.#sentence(random, length)}.`
      left -= length
      if (left === 0 || random.below(5) === 0) {
        paragraphs.push(paragraph)
        paragraph = ''
      }
    }
    const acquiredAt = this.acquiredAtOf(number)
    const ageMs = random.below(900) * dayMs
    return {
      number,
      url: `https://${host}/${this.#words[this.#wordRanks.draw(random)]}/${number}`,
      title,
      text: paragraphs.join('\n\n'),
      ...(random.below(5) > 0 && { publishedAt: acquiredAt - ageMs }),
      acquiredAt,
    }
  }

  /** Pages `from` up to but not including `to`. */
  slice(from: number, to: number): SyntheticPage[] {
    return Array.from({ length: to - from }, (_, i) => this.page(from + i))
  }

  #sentence(random: Random, length: number): string {
    let sentence = ''
    for (let i = 0; i < length; i++) sentence += (i && ' ') + this.#words[this.#wordRanks.draw(random)]
    return sentence[0].toUpperCase() + sentence.slice(1)
  }
}

export interface CorpusSurvey {
  words: number
  bytes: number
  distinct: number
  /** Pages each word occurs in. */
  documentFrequency: Map<string, number>
}

/** Reads the whole corpus once and counts it. */
export function surveyCorpus(corpus: SyntheticCorpus): CorpusSurvey {
  const documentFrequency = new Map<string, number>()
  let words = 0
  let bytes = 0
  for (let number = 0; number < corpus.settings.pages; number++) {
    const { title, text } = corpus.page(number)
    bytes += title.length + text.length
    const tokens = `${title} ${text}`.toLowerCase().match(/[a-z]+/g) ?? []
    words += tokens.length
    for (const word of new Set(tokens)) documentFrequency.set(word, (documentFrequency.get(word) ?? 0) + 1)
  }
  return { words, bytes, distinct: documentFrequency.size, documentFrequency }
}
