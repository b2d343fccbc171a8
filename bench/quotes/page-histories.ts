import type { ObservationInput } from '@asof/core'
import { type Random, seededRandom } from '../apparatus/random.ts'
import { wordOf } from '../apparatus/synthetic.ts'

/** What a page said from an instant on. */
export interface PageVersion {
  /** Epoch ms. */
  at: number
  /** The words of each sentence, as the page writes them. Undefined if the page was removed. */
  sentences?: readonly (readonly string[])[]
}

/** A page and all that it ever said, oldest first. */
export interface PageHistory {
  url: string
  versions: PageVersion[]
}

/** The history of a page, also in the form in which an index takes it. */
export interface IndexedHistory {
  page: PageHistory
  observations: ObservationInput[]
}

const FIRST_AT = Date.UTC(2024, 0, 1)
const HOUR_MS = 3_600_000
const VOCABULARY = 20_000

/** Generates the history of one page: it depends only on the seed and the number. */
export function pageHistory(seed: number, number: number): PageHistory {
  const random = seededRandom(seed, number)
  const versions: PageVersion[] = []
  let at = FIRST_AT + random.below(1_000) * HOUR_MS
  let sentences = Array.from({ length: 3 + random.below(30) }, () => sentence(random))
  for (let left = 1 + random.below(12); left > 0; left--) {
    versions.push({ at, sentences })
    at += (1 + random.below(500)) * HOUR_MS
    if (random.below(12) === 0) {
      versions.push({ at })
      at += (1 + random.below(500)) * HOUR_MS
    }
    sentences = edited(sentences, versions, random)
  }
  return { url: `https://h${number % 100}.example/${number}`, versions }
}

function sentence(random: Random): string[] {
  const words = Array.from({ length: 4 + random.below(16) }, () => wordOf(random.below(VOCABULARY)))
  words[0] = words[0]!.replace(/^./, letter => letter.toUpperCase())
  if (random.below(3) === 0) words[1 + random.below(words.length - 2)] = String(random.below(10_000) / 10)
  return words
}

/** Returns the next version: mostly one sentence differs, sometimes it is an earlier version again. */
function edited(sentences: string[][], versions: readonly PageVersion[], random: Random): string[][] {
  const place = random.below(sentences.length)
  const old = sentences[place]!
  const kind = random.below(6)
  if (kind === 0) return versions[random.below(versions.length)]!.sentences?.map(words => [...words]) ?? sentences
  if (kind === 1) return sentences.toSpliced(place, 1, sentence(random))
  if (kind === 2 && sentences.length > 1) return sentences.toSpliced(place, 1)
  if (kind === 3) return sentences.toSpliced(place, 0, sentence(random))
  const word = 1 + random.below(old.length - 2)
  return sentences.with(place, old.with(word, wordOf(random.below(VOCABULARY))))
}

/** Returns the history in the form in which an index takes it. Each version has other Markdown markup, which changes no words. */
export function observationsOf({ url, versions }: PageHistory, random: Random): ObservationInput[] {
  return versions.map(({ at, sentences }) =>
    sentences
      ? { url, title: url, acquiredAt: at, markdown: sentences.map(words => markdownOf(words, random)).join('') }
      : { url, removedAt: at },
  )
}

function markdownOf(words: readonly string[], random: Random): string {
  const marked = words.map(word =>
    ['*', '**', ''][Math.min(2, random.below(40))]!.replace(/.*/s, mark => mark + word + mark),
  )
  const spaced = marked.map((word, i) =>
    i === 0 ? word : `${/^\d/.test(word) || random.below(15) > 0 ? ' ' : '\n'}${word}`,
  )
  return `${['\n\n', '\n\n- ', '\n\n## '][random.below(3)]}${spaced.join('')}.`
}
