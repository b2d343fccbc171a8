import {
  FIRST_AT,
  LAST_AT,
  LATER_WORD,
  pick,
  type Random,
  SEALED_AT,
  sites,
  urlOf,
  words,
  wordsOf,
} from './sealed-world.ts'

const DAY_MS = 86_400_000

export type Fields = Record<string, unknown>

/** What earlier answers gave, to be sent again. */
export interface Given {
  cursors: string[]
  after: string[]
}

export const iso = (at: number) => new Date(at).toISOString()

/** Any instant of the history, before and after the seal. */
export function anyInstant(random: Random): number {
  return FIRST_AT - 30 * DAY_MS + random(830) * DAY_MS + random(DAY_MS)
}

/** A time in one of its many forms, also ones after the seal and ones that are wrong. */
export function anyTime(random: Random): unknown {
  const at = anyInstant(random)
  return pick(
    [
      iso(at),
      iso(at),
      iso(at).slice(0, 10),
      iso(SEALED_AT),
      iso(SEALED_AT - 1),
      iso(SEALED_AT + 1),
      iso(SEALED_AT + 59_000),
      iso(SEALED_AT + 61_000),
      iso(LAST_AT),
      '2099-01-01',
      '7d',
      '90min',
      '1y',
      '2w',
      '0d',
      String(Math.floor(at / 1000)),
      String(at),
      'soon',
      '',
      '2024-13-01',
    ],
    random,
  )
}

/** Adds each optional field with a chance. */
export function some(random: Random, oneIn: number, fields: Record<string, () => unknown>): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (random(oneIn) === 0 ? [[name, value()]] : [])),
  )
}

export function anyQuery(random: Random): string {
  const text = wordsOf(random, 1 + random(4))
  return pick(
    [
      text,
      text,
      text,
      `"${wordsOf(random, 2)}"`,
      `${text} -${pick(words, random)}`,
      `${text} site:${pick(sites, random)}`,
      text.replace(/[aeiou]/, ''),
      LATER_WORD,
      `${pick(words, random)} ${LATER_WORD}`,
      `site:${pick(sites, random)}`,
      '*',
      urlOf(random),
      `https://late.example/${random(4)}`,
      `https://alias.example/${random(6)}`,
      ' ',
      `latest ${text}`,
      text.slice(0, -1),
      `"${LATER_WORD} ${pick(words, random)}"`,
      `how much is ${text}`,
    ],
    random,
  )
}

function anyWebql(random: Random): string {
  const [a, b] = [pick(words, random), pick(words, random)]
  return pick(
    [
      `${a} AND ${b}`,
      `${a} OR ${LATER_WORD}`,
      `${a.slice(0, 3)}*`,
      `${a}~ NOT ${b}`,
      `title:${a}`,
      `price:10..50 ${a}`,
      `acquired:[${iso(anyInstant(random)).slice(0, 10)} TO *] ${a}`,
      `published:[7d TO *] ${a}`,
      'later:true',
      `${a} AND (`,
      `${a} NEAR/4 ${b}`,
      `color:red OR author:${a}`,
      `${LATER_WORD.slice(0, 4)}*`,
    ],
    random,
  )
}

function anyFilter(random: Random): unknown {
  return pick(
    [
      { color: pick(['red', 'green', 'blue'], random) },
      { price: { gte: random(50) } },
      { later: true },
      { later: { exists: false } },
      { any: [{ color: 'red' }, { price: { lt: 20 } }] },
      { latter: 1 },
      { price: 'a' },
      {},
    ],
    random,
  )
}

export function searchFields(random: Random, given: Given, modes: readonly string[]): Fields {
  const mode = pick(modes, random)
  const asked: Fields = { query: mode === 'webql' ? anyWebql(random) : anyQuery(random) }
  if (random(2) === 0) asked.mode = mode
  return {
    ...asked,
    ...some(random, 3, { query_time: () => anyTime(random), max_results: () => 1 + random(12) }),
    ...some(random, 7, {
      site: () => pick([...sites, 'late.example', 'co'], random),
      sites: () => [pick(sites, random), 'late.example', `${pick(sites, random)}/${random(9)}`],
      exclude_sites: () => [pick([pick(sites, random), `${pick(sites, random)}/${random(9)}`], random)],
      filter: () => anyFilter(random),
      facets: () => [pick(['color', 'price:10', 'acquired_at:month', 'published_at:year', 'later', 'nothing'], random)],
      sort: () => pick(['price:desc', 'acquired_at', 'published_at:desc', 'score', 'later'], random),
      published_after: () => anyTime(random),
      published_before: () => anyTime(random),
      acquired_after: () => anyTime(random),
      acquired_before: () => anyTime(random),
      snippet_max_length: () => pick([0, 180, 400, 5], random),
      enable_wizards: () => true,
      explain: () => true,
      include: () =>
        pick([['citation'], ['content', 'author'], ['score', 'last_seen_at', 'citation'], ['passages']], random),
    }),
    ...some(random, 12, {
      content_max_chars: () => pick([1, 300, 50_001], random),
      passages_max_chars: () => pick([180, 900, 1], random),
      passages_query: () => wordsOf(random, 2),
      strict: () => true,
      offset: () => random(9),
      cursor: () => (given.cursors.length > 0 ? pick(given.cursors, random) : 'nothing'),
      language: () => pick(['en', 'de', 'xx'], random),
      typing: () => true,
      weights: () => ({ title: random(5) }),
      quary: () => 'misspelled',
    }),
  }
}

export function anyUrl(random: Random): string {
  return pick(
    [
      urlOf(random),
      urlOf(random),
      urlOf(random),
      `https://alias.example/${random(6)}`,
      `https://late.example/${random(4)}`,
      'https://unknown.example/',
      'not a url',
      'ftp://a.example/1',
      'https://user:secret@a.example/1',
    ],
    random,
  )
}

export function fetchFields(random: Random): Fields {
  return {
    url: anyUrl(random),
    ...some(random, 2, { query_time: () => anyTime(random) }),
    ...some(random, 6, {
      live: () => pick([true, true, false, 'maybe'], random),
      prompt: () => wordsOf(random, 3),
      max_chars: () => pick([1, 40, 50_000, -1], random),
      include: () => pick([['citation'], ['metadata'], ['citations']], random),
    }),
  }
}

export function historyFields(random: Random, given: Given): Fields {
  return {
    url: anyUrl(random),
    ...some(random, 2, { query_time: () => anyTime(random), limit: () => 1 + random(4) }),
    ...some(random, 8, { after: () => (given.after.length > 0 ? pick(given.after, random) : 'nothing') }),
  }
}

function quote(random: Random): Fields {
  return {
    url: anyUrl(random),
    quote: pick([wordsOf(random, 2), wordsOf(random, 4), `The ${wordsOf(random, 2)}`, LATER_WORD, '', '…'], random),
    ...some(random, 3, { query_time: () => anyTime(random) }),
  }
}

export function verifyFields(random: Random): Fields {
  return random(3) === 0 ? { quotes: Array.from({ length: 1 + random(5) }, () => quote(random)) } : quote(random)
}

export function passagesFields(random: Random): Fields {
  return {
    query: anyQuery(random),
    ...some(random, 2, { query_time: () => anyTime(random), max_chars: () => 180 + random(3_000) }),
    ...some(random, 4, { max_tokens: () => 50 + random(500), max_per_page: () => 1 + random(3) }),
    ...some(random, 4, { mode: () => pick(['pro', 'realtime', 'webql'], random), include: () => ['citation'] }),
  }
}

export function mapFields(random: Random): Fields {
  return {
    url: pick([anyUrl(random), new URL('/', urlOf(random)).href], random),
    ...some(random, 2, { query_time: () => anyTime(random), limit: () => 1 + random(20) }),
    ...some(random, 4, { search: () => wordsOf(random, 1), include_subdomains: () => true }),
  }
}

export const schemaOfValues = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    published: { type: 'string', format: 'date' },
    price: { type: 'number' },
    name: { type: 'string' },
  },
}

export function extractFields(random: Random): Fields {
  return {
    urls: Array.from({ length: 1 + random(3) }, () => anyUrl(random)),
    schema: schemaOfValues,
    ...some(random, 2, { query_time: () => anyTime(random), model: () => random(4) === 0 }),
  }
}
