import type { SearchOptions } from '../../../core/index.ts'
import { type Language, languages } from './sentences.ts'
import {
  authors,
  endOf,
  hosts,
  pick,
  type Random,
  randomNumbers,
  type Scale,
  sentence,
  startAt,
  tags,
  urlOf,
} from './world.ts'

/** A search, or a page to be read. */
export type Question = { query: string; options: SearchOptions } | { url: string; queryTime: number }

const DAY_MS = 86_400_000

/** Makes the n-th question about a world. It depends on nothing else. */
export function questionAt(n: number, scale: Scale): Question {
  const random = randomNumbers(7919 * n + 17)
  // The first numbers of near seeds are alike.
  for (let i = 0; i < 8; i++) random(2)
  const queryTime = startAt - 300 * DAY_MS + random(endOf(scale) - startAt + 300 * DAY_MS)
  if (random(16) === 0)
    return {
      url: random(4) === 0 ? `https://old.example/${random(scale.pages)}/${random(3)}` : urlOf(random(scale.pages)),
      queryTime,
    }
  const { query, options } = pick(forms, random)(random, scale)
  return {
    query,
    options: {
      queryTime: random(10) > 0 ? queryTime : undefined,
      maxResults: random(3) === 0 ? 1 + random(30) : undefined,
      snippetMaxLength: random(4) === 0 ? pick([0, 180, 300, 1200], random) : undefined,
      ...windows(random),
      ...options,
    },
  }
}

type Form = (random: Random, scale: Scale) => { query: string; options: SearchOptions }

const forms: readonly Form[] = [
  random => ({ query: wordsOf(random), options: { mode: 'realtime' } }),
  random => ({ query: wordsOf(random), options: { mode: 'pro' } }),
  random => ({ query: wordsOf(random), options: {} }),
  random => ({ query: `${wordsOf(random)} ${wordsOf(random)}`, options: { mode: pick(['pro', 'realtime'], random) } }),
  random => ({
    query: `"${phraseOf(random)}" ${wordsOf(random)}`,
    options: { mode: pick(['pro', 'realtime'], random) },
  }),
  random => ({ query: `${wordsOf(random)} -${wordOf(random)} site:${pick(hosts, random)}`, options: {} }),
  random => ({ query: sentence(pick(languages, random), random), options: {} }),
  random => ({ query: misspelt(wordsOf(random), random), options: {} }),
  random => ({ query: wordsOf(random), options: { language: pick(languages, random).code } }),
  random => ({ query: wordsOf(random), options: { weights: { title: random(9), fields: { tags: 1 + random(3) } } } }),
  random => ({
    query: wordsOf(random),
    options: { sites: [pick(hosts, random), pick(hosts, random)], excludeSites: [pick(hosts, random)] },
  }),
  random => ({ query: wordsOf(random), options: { filter: filterOf(random) } }),
  random => ({
    query: pick(['', wordsOf(random)], random),
    options: {
      mode: 'realtime',
      facets: ['tags', 'price:25', 'released:year', 'inStock', 'publishedAt:month'],
      filter: filterOf(random),
    },
  }),
  random => ({
    query: wordOf(random),
    options: {
      mode: 'realtime',
      sort: pick(['price', 'released:desc', 'publishedAt:desc', 'acquiredAt:asc', 'score'], random),
      offset: random(8),
    },
  }),
  random => ({ query: beginningOf(wordsOf(random), random), options: { mode: 'realtime', typing: true } }),
  (random, { pages }) => ({ query: `AB-${1000 + random(pages)}`, options: {} }),
  (random, { pages }) => ({ query: urlOf(random(pages)), options: {} }),
  random => ({ query: `${beginningOf(wordOf(random), random)}* OR ${wordOf(random)}~`, options: { mode: 'webql' } }),
  random => ({
    query: `${wordOf(random)} NEAR/6 ${wordOf(random)} OR title:${wordOf(random)}`,
    options: { mode: 'webql' },
  }),
  random => ({
    query: `lang:${pick(languages, random).code} (${wordOf(random)} OR author:"${pick(authors, random)}") -tags:${pick(tags, random)}`,
    options: { mode: 'webql' },
  }),
  random => ({
    query: `price:${random(40)}..${40 + random(60)} published:[2020-01-01 TO *] ${wordOf(random)}`,
    options: { mode: 'webql' },
  }),
  random => ({
    query: `type:${pick(['article', 'product', 'docs'], random)} NOT ${wordOf(random)}`,
    options: { mode: 'webql' },
  }),
]

/** A word, or in a script without spaces a part of a sentence. */
function wordOf(random: Random): string {
  const words = wordsIn(pick(languages, random), random)
  return pick(words, random)
}

function wordsIn(language: Language, random: Random): string[] {
  const part = pick(pick([language.beginnings, language.middles, language.ends], random), random)
  return part.split(/[\s.,،、।。，+]+/).filter(word => word.length > 1)
}

function wordsOf(random: Random): string {
  const language = pick(languages, random)
  return Array.from({ length: 1 + random(3) }, () => pick(wordsIn(language, random), random)).join(' ')
}

/** Two to four words that stand beside each other. */
function phraseOf(random: Random): string {
  const words = wordsIn(pick(languages, random), random)
  const from = random(words.length)
  return words.slice(from, from + 2 + random(3)).join(' ')
}

function beginningOf(text: string, random: Random): string {
  return text.slice(0, Math.max(2, text.length - random(4)))
}

function misspelt(text: string, random: Random): string {
  const at = 1 + random(Math.max(1, text.length - 2))
  return text.slice(0, at) + text.slice(at + 1)
}

function filterOf(random: Random): NonNullable<SearchOptions['filter']> {
  return pick(
    [
      { inStock: true },
      { tags: pick(tags, random) },
      { price: { gte: random(50), lt: 50 + random(50) } },
      { released: { gte: '2018-01-01' } },
      { tags: { exists: false } },
      { not: { tags: pick(tags, random) } },
    ],
    random,
  )
}

/** Returns time filters for every fifth question. */
function windows(random: Random): SearchOptions {
  if (random(5) > 0) return {}
  return pick(
    [
      { publishedAfter: '2020-06-01' },
      { publishedBefore: '2022-01-01' },
      { acquiredAfter: '90d' },
      { acquiredBefore: '2024-06-01' },
      { publishedAfter: '2021-01-01', acquiredAfter: '2024-02-01' },
    ],
    random,
  )
}
