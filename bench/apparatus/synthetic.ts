import type { BenchPage } from './page-file.ts'
import { type Random, seededRandom, zipf } from './random.ts'

export interface CorpusSettings {
  pages: number
  seed: number
  /** Number of different words to draw from. */
  vocabulary: number
  /** Mean number of words in a page; lengths are log-normal. */
  meanWords: number
}

export const defaultCorpus: CorpusSettings = { pages: 50_000, seed: 20_261_120, vocabulary: 500_000, meanWords: 300 }

const dayMs = 86_400_000
const firstAt = Date.UTC(2024, 0, 1)
const spanMs = 700 * dayMs
const hosts = 2_000
/** Standard deviation of the logarithm of the length; 0.8 is typical of web text. */
const lengthSigma = 0.8

// English stemmers do not change words that end in a, o or u. So every engine sees the same vocabulary, with or without
// stemming.
const syllables = [...'bdfgklmnprtz'].flatMap(consonant => [...'aou'].map(vowel => consonant + vowel))

/** Returns the word of a frequency rank: two syllables for the 1,296 most frequent words, then three, then four. */
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

/** Returns the acquisition time of a page: times ascend with the page number and spread evenly over about two years. */
export const acquiredAtOf = (number: number, pages: number): number => firstAt + Math.floor((spanMs * number) / pages)

/** Draws the number of words of a page. */
export function lengthOf(meanWords: number, random: Random): number {
  const mu = Math.log(meanWords) - lengthSigma ** 2 / 2
  return Math.min(5_000, Math.max(10, Math.round(Math.exp(mu + lengthSigma * random.normal()))))
}

/** Draws a publish date for four pages in five, up to 900 days before the page was acquired. */
export function drawPublishedAt(acquiredAt: number, random: Random): number | undefined {
  const ageMs = random.below(900) * dayMs
  return random.below(5) > 0 ? acquiredAt - ageMs : undefined
}

/** Generates pages. Each page depends only on the settings and the number of the page. */
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

  page(number: number): BenchPage {
    const random = seededRandom(this.settings.seed, number)
    const host = `h${this.#hostRanks.draw(random)}.example`
    const words = lengthOf(this.settings.meanWords, random)
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
    const acquiredAt = acquiredAtOf(number, this.settings.pages)
    const publishedAt = drawPublishedAt(acquiredAt, random)
    return {
      number,
      url: `https://${host}/${this.#words[this.#wordRanks.draw(random)]}/${number}`,
      title,
      text: paragraphs.join('\n\n'),
      publishedAt,
      acquiredAt,
    }
  }

  #sentence(random: Random, length: number): string {
    let sentence = ''
    for (let i = 0; i < length; i++) sentence += (i > 0 ? ' ' : '') + this.#words[this.#wordRanks.draw(random)]
    return sentence.slice(0, 1).toUpperCase() + sentence.slice(1)
  }
}
