import { seededRandom } from '../apparatus/random.ts'
import type { Section } from './readme-sections.ts'

/** A phrase that is typed letter by letter to find the one section that has it as its heading. */
export interface TypedPhrase {
  phrase: string
  url: string
}

/** Number of words of the phrases. */
const WORDS = { least: 1, most: 4 }
/** Minimum length of the last word, which is typed in part. */
const MIN_LAST = 5

/** Draws headings of one to four plain words that only one section has, ignoring case. */
export function drawPhrases(sections: readonly Section[], drawn: number, seed: number): TypedPhrase[] {
  const uses = new Map<string, number>()
  const keyOf = (title: string): string => title.toLowerCase()
  for (const { title } of sections) uses.set(keyOf(title), (uses.get(keyOf(title)) ?? 0) + 1)
  const random = seededRandom(seed)
  const usable = sections.filter(({ title }) => uses.get(keyOf(title)) === 1 && isPhrase(title))
  const phrases: TypedPhrase[] = []
  while (phrases.length < drawn && usable.length > 0) {
    const [{ title, url }] = usable.splice(random.below(usable.length), 1) as [Section]
    phrases.push({ phrase: title.toLowerCase(), url })
  }
  return phrases
}

function isPhrase(title: string): boolean {
  const words = title.split(' ')
  return (
    words.length >= WORDS.least &&
    words.length <= WORDS.most &&
    words.every(word => /^[a-z]+$/i.test(word)) &&
    words.at(-1)!.length >= MIN_LAST
  )
}

/** Returns the phrase with only the first `letters` letters of its last word; undefined if the word has no more letters. */
export function typedPart(phrase: string, letters: number): string | undefined {
  const from = phrase.lastIndexOf(' ') + 1
  return phrase.length - from > letters ? phrase.slice(0, from + letters) : undefined
}
