import type { CaptureInput, RemovalInput } from '../../core/index.ts'

/**
 * A corpus whose whole history is known: 300 pages on 40 hosts in three languages, each with 1 to 6 versions; some were removed, some came
 * back, and a third has no publish date.
 */

/** One version of a page, or its removal. */
export interface Version {
  url: string
  host: string
  path: string
  /** Epoch ms. */
  at: number
  /** Undefined for a removal. */
  content:
    | { title: string; text: string; author: string; publishedAt: number | undefined; phrases: string[] }
    | undefined
}

const HOSTS = 40
const PAGES = 300
const DAY_MS = 86_400_000
export const corpusStart = Date.UTC(2024, 0, 1)
export const corpusEnd = Date.UTC(2025, 9, 1)

/** A generator of random numbers (mulberry32), so that every run has the same corpus. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

/** Words by language. The first of each are frequent. */
const words = {
  en: 'the report of a market in the harbor shows that prices for grain copper timber and wool rose while ferries bridges gardens and libraries were repaired after winter storms damaged roofs canals lamps windows and clocks near old mills where farmers engineers teachers and sailors meet every autumn to trade stories maps tools seeds lanterns and kites'.split(
    ' ',
  ),
  de: 'der report über den markt im hafen zeigt dass preise für getreide kupfer holz und wolle stiegen während fähren brücken gärten und büchereien nach den stürmen des winters repariert wurden wo bauern ingenieure lehrer und seeleute sich jeden herbst bei alten mühlen treffen um karten werkzeuge samen laternen und drachen zu tauschen'.split(
    ' ',
  ),
  fr: 'le report sur le marché du port montre que les prix du blé du cuivre du bois et de la laine ont monté pendant que les ferries les ponts les jardins et les bibliothèques furent réparés après les tempêtes de hiver où fermiers ingénieurs professeurs et marins se retrouvent chaque automne près des vieux moulins pour échanger cartes outils graines lanternes et cerfs'.split(
    ' ',
  ),
} as const
const languages = ['en', 'de', 'fr'] as const

/** Phrases that some versions have word for word, and whose words others have in another order. */
export const phrases = [
  'velvet harbor signal',
  'seven copper lanterns',
  'quiet autumn ledger',
  'under the blue mill',
] as const

/** Queries, most of which find pages in every language. */
export const queries = [
  'market report',
  'copper prices harbor',
  'timber wool grain',
  'old mills autumn',
  'preise für kupfer',
  'brücken gärten repariert',
  'prix du cuivre',
  'jardins et bibliothèques',
  'lanterns kites maps',
  'velvet signal',
  'storms damaged roofs',
  'engineers teachers sailors',
  'report',
  'ferries bridges',
  'ledger',
] as const

/** The word that every version has. */
export const EVERYWHERE = 'report'

/** The editions of a page are different from those of every other page. */
export const EDITIONS = 10

function sentence(random: (below: number) => number, vocabulary: readonly string[]): string {
  const count = 6 + random(12)
  // The product of two draws prefers the words at the beginning, as in a language.
  const drawn = Array.from(
    { length: count },
    () => vocabulary[Math.floor((random(1_000) * random(1_000) * vocabulary.length) / 1_000_000)],
  )
  return `${drawn.join(' ')}.`
}

function shuffled(random: (below: number) => number, phrase: string): string {
  const parts = phrase.split(' ')
  return [...parts.slice(1), parts[0]].sort(() => random(3) - 1).join(' ')
}

/** Returns all versions of the corpus, in the order of time. */
export function makeCorpus(): Version[] {
  const random = randomNumbers(20_250_301)
  const versions: Version[] = []
  for (let page = 0; page < PAGES; page += 1) {
    const host = `site${page % HOSTS}.example`
    const path = `/${['docs', 'news', 'docsearch'][random(3)]}/${['a', 'b'][random(2)]}/page-${page}`
    const url = `https://${host}${path}`
    const language = languages[page % languages.length] ?? 'en'
    const vocabulary = words[language]
    const isDated = random(3) > 0
    let at = corpusStart + random(300) * DAY_MS + random(DAY_MS)
    const count = 1 + random(6)
    for (let version = 0; version < count && at < corpusEnd; version += 1) {
      const isRemoval = version > 0 && random(5) === 0
      const own = phrases.filter(() => random(6) === 0)
      const mixed = phrases.filter(phrase => !own.includes(phrase) && random(6) === 0)
      const title = `${sentence(random, vocabulary).slice(0, 30)} ${page}`
      const text = [
        `${EVERYWHERE} number ${page} in version ${version} of ${host}.`,
        // A line with a label, from which values are read.
        `Edition: ${EDITIONS * page + version}`,
        ...Array.from({ length: 3 + random(8) }, () => sentence(random, vocabulary)),
        ...own.map(phrase => `They write ${phrase} here.`),
        ...mixed.map(phrase => `They write ${shuffled(random, phrase)} here.`),
      ].join('\n\n')
      const publishedAt = isDated ? Math.floor((at - random(20) * DAY_MS) / 1_000) * 1_000 : undefined
      const content = {
        title,
        text,
        author: `Author ${page % 7}`,
        publishedAt,
        phrases: phrases.filter(phrase => text.includes(phrase)),
      }
      versions.push({ url, host, path, at, content: isRemoval ? undefined : content })
      at += (1 + random(120)) * DAY_MS + random(DAY_MS)
    }
  }
  return versions.sort((a, b) => a.at - b.at)
}

/** Returns versions as an engine takes them. */
export function observationsOf(versions: readonly Version[]): (CaptureInput | RemovalInput)[] {
  return versions.map(({ url, at, content }) =>
    content
      ? {
          url,
          title: content.title,
          text: content.text,
          author: content.author,
          acquiredAt: at,
          publishedAt: content.publishedAt,
        }
      : { url, removedAt: at },
  )
}

/** Returns the version of each page that stood at an instant. */
export function standingAt(versions: readonly Version[], at: number): Version[] {
  const latest = new Map<string, Version>()
  for (const version of versions) if (version.at <= at) latest.set(version.url, version)
  return [...latest.values()].filter(({ content }) => content !== undefined)
}

/** Instants at which much changed. */
export const instants = [
  '2024-06-01',
  '2024-09-15T12:00:00Z',
  '2025-01-01',
  '2025-03-01T08:30:00Z',
  '2025-07-01',
] as const
