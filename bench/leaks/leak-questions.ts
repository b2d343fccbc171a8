import { isFunctionWord } from '../../core/text/languages/function-words.ts'
import { type Random, seededRandom } from '../apparatus/random.ts'
import type { Question } from '../questions/question.ts'
import { type DocHistory, type DocVersion, isValidAt } from './doc-history.ts'

/** A question as of an instant. */
export interface LeakQuestion {
  question: Question
  /** The value that the answer must have. Absent if only the order of results is compared. */
  truth?: Truth
}

export interface Truth {
  /** The page that stated the value. */
  url: string
  /** The line with the value, as of the instant. */
  held: string
  /** The line as each version of any page states it, with the value there, by version number. */
  stated: ReadonlyMap<number, string>
}

/** A line of a page whose numbers or code changed, while its other words stayed. */
export interface ChangingLine {
  url: string
  words: string[]
  stated: Truth['stated']
}

const VALUE = /`[^`]+`|\d+(?:[.,]\d+)*/g
const FEWEST_WORDS = 4
const MAX_WORDS = 8
const TRIES = 1_000

/** Returns the lines whose values changed. Lines that a page has twice at a time are left out, because they have no single value. */
export function changingLines({ versions }: DocHistory): ChangingLine[] {
  const lines = new Map<string, ChangingLine & { values: Set<string> }>()
  const patterns = new Map<string, Map<number, string>>()
  const doubtful = new Set<string>()
  for (const { number, url, text } of versions)
    for (const line of text.split('\n').map(line => line.trim())) {
      const pattern = line.replace(VALUE, '#')
      const words = askable(pattern)
      if (pattern === line || words.length < FEWEST_WORDS) continue
      const key = `${url} ${pattern}`
      const stated = patterns.get(pattern) ?? new Map<number, string>()
      const known = lines.get(key) ?? { url, words: words.slice(0, MAX_WORDS), stated, values: new Set() }
      if (stated.has(number)) doubtful.add(key)
      stated.set(number, line)
      known.values.add(line)
      patterns.set(pattern, stated)
      lines.set(key, known)
    }
  return [...lines]
    .filter(([key, { values }]) => !doubtful.has(key) && values.size > 1)
    .map(([, { url, words, stated }]) => ({ url, words, stated }))
}

/**
 * Draws questions as of an instant. Half of them ask for a value that changed at some time. The others are two to five consecutive words of a
 * page that was valid at the instant. Each asks for at most ten results.
 */
export function leakQuestions(
  history: DocHistory,
  lines: readonly ChangingLine[],
  { instant, count, seed }: { instant: number; count: number; seed: number },
): LeakQuestion[] {
  const random = seededRandom(seed, instant / 1_000)
  const valid = history.versions.filter(version => isValidAt(version, instant))
  const current = new Map(valid.map(({ url, number }) => [url, number]))
  const known = lines.flatMap(line => {
    const number = current.get(line.url)
    const held = number === undefined ? undefined : line.stated.get(number)
    return held === undefined ? [] : [{ line, held }]
  })
  const truths = drawn(known, Math.ceil(count / 2), random).map(({ line: { url, words, stated }, held }) => ({
    question: questionOf(words),
    truth: { url, stated, held },
  }))
  const rest = Array.from({ length: count - truths.length }, () => ({ question: questionOf(passage(valid, random)) }))
  return [...truths, ...rest]
}

const questionOf = (words: string[]): Question => ({ form: 'or', words, limit: 10 })

function askable(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{3,}/g) ?? []
  return [...new Set(words)].filter(word => !isFunctionWord(word))
}

function passage(valid: readonly DocVersion[], random: Random): string[] {
  for (let tries = 0; tries < TRIES; tries++) {
    const lines = valid[random.below(valid.length)]!.text.split('\n')
    const words = askable(lines[random.below(lines.length)]!)
    const length = 2 + random.below(4)
    const from = random.below(Math.max(1, words.length - length + 1))
    if (words.length >= length) return words.slice(from, from + length)
  }
  throw new RangeError('the pages have too few words to draw questions from')
}

function drawn<Item>(items: readonly Item[], count: number, random: Random): Item[] {
  const left = [...items]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)).flat()
}
