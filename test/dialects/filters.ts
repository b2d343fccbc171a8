import { expect } from 'vitest'
import { phrases, randomNumbers, type Version } from './corpus.ts'

/** A filter, in no vendor's words, with the versions that it keeps. */
export interface Filter {
  domains?: string[]
  excludedDomains?: string[]
  /** Publish dates, epoch ms. */
  published?: [from: number, to: number]
  /** When pages were captured, epoch ms. */
  captured?: [from: number, to: number]
  having?: string
  lacking?: string
  keeps: (version: Version) => boolean
}

const DAY_MS = 86_400_000
const HOSTS = 40

function hosts(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, i) => `site${(first + i) % HOSTS}.example`)
}

/** Returns filters of every kind. */
export function randomFilters(seed: number): Filter[] {
  const random = randomNumbers(seed)
  const month = (months: number) => Date.UTC(2024, random(months), 1)
  const isWithin = (at: number | undefined, [from, to]: [number, number]) => at !== undefined && at >= from && at <= to
  const few = hosts(3, random(HOSTS))
  const most = hosts(30, random(HOSTS))
  const [host = ''] = hosts(1, random(HOSTS))
  const published: [number, number] = [month(12), 0]
  published[1] = published[0] + 60 * DAY_MS - 1
  const captured: [number, number] = [month(16), 0]
  captured[1] = captured[0] + 50 * DAY_MS - 1
  const phrase = phrases[random(phrases.length)] ?? ''
  const near = hosts(12, random(HOSTS))
  return [
    { domains: few, keeps: version => few.includes(version.host) },
    { excludedDomains: most, keeps: version => !most.includes(version.host) },
    // The path is a whole segment: /docsearch is another one.
    { domains: [`${host}/docs`], keeps: version => version.host === host && version.path.startsWith('/docs/') },
    {
      domains: few,
      excludedDomains: [`${few[0]}/news`],
      keeps: version => few.includes(version.host) && !(version.host === few[0] && version.path.startsWith('/news/')),
    },
    { published, keeps: ({ content }) => isWithin(content?.publishedAt, published) },
    { captured, keeps: ({ at }) => isWithin(at, captured) },
    { having: phrase, keeps: ({ content }) => content?.phrases.includes(phrase) === true },
    {
      domains: near,
      lacking: phrase,
      keeps: version => near.includes(version.host) && version.content?.phrases.includes(phrase) === false,
    },
    { having: 'words that nobody wrote anywhere', keeps: () => false },
    {
      domains: near,
      published,
      keeps: version => near.includes(version.host) && isWithin(version.content?.publishedAt, published),
    },
  ]
}

/** Returns the date of an instant as some services write it, such as 1/31/2025. */
export function slashDate(at: number): string {
  const day = new Date(at)
  return `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`
}

/** Expects the pages that a filter keeps, or as many of them as an answer can have. */
export function expectKept(urls: readonly string[], kept: readonly Version[], most: number): void {
  const expected = new Set(kept.map(({ url }) => url))
  expect(urls.filter(url => !expected.has(url))).toEqual([])
  expect(new Set(urls).size).toBe(urls.length)
  expect(urls.length).toBe(Math.min(expected.size, most))
}
