import { type CaptureInput, type Engine, open, type Relevance } from '../../../core/index.ts'
import { type Language, languages } from './sentences.ts'

/** The size of a world. The same size always makes the same world. */
export interface Scale {
  pages: number
  /** Number of commits that add captures. Two of three times, a part of their captures is declared. */
  sessions: number
  perSession: number
}

const DAY_MS = 86_400_000
export const startAt = Date.UTC(2024, 0, 1)
const SESSION_DAYS = 11

/** The time of the clock when a world is complete, and the latest instant of a question. */
export function endOf({ sessions }: Scale): number {
  return startAt + (sessions + 1) * SESSION_DAYS * DAY_MS
}

export const hosts = [
  'valley.example',
  'www.harbor.example',
  'news.example.org',
  'library.example.net',
  'shop.example.com',
  'docs.example.com',
] as const
export const authors = ['Jane Doe', 'Otto Weiß', 'Zoé Lefèvre', 'Иван Петров', '山田 花子'] as const
export const tags = ['desk', 'wall', 'river', 'night', 'stone'] as const
const kinds = ['article', 'product', 'docs', 'forum', 'other'] as const

/** Pseudo-random whole numbers below a limit (a linear congruential generator: Numerical Recipes, 7.1). */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return limit => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

export type Random = ReturnType<typeof randomNumbers>
export function pick<T>(values: readonly T[], random: Random): T {
  const value = values[random(values.length)]
  if (value === undefined) throw new TypeError('there is nothing to pick from')
  return value
}

export function sentence({ beginnings, middles, ends, space }: Language, random: Random): string {
  return [beginnings, middles, ends].map(parts => pick(parts, random)).join(space)
}

export function urlOf(page: number): string {
  return `https://${hosts[page % hosts.length]}/${languageOf(page).code}/${page}`
}

export function languageOf(page: number): Language {
  return languages[page % languages.length] ?? languages[0]!
}

function bodyOf(page: number, random: Random): Pick<CaptureInput, 'markdown' | 'text' | 'html'> {
  const language = languageOf(page)
  const lines = Array.from({ length: 2 + random(7) }, () => sentence(language, random))
  const title = pick(language.beginnings, random)
  const form = random(10)
  if (form < 2) return { text: lines.join('\n') }
  if (form < 3) {
    const paragraphs = lines.map(line => `<p>${line}</p>`).join('')
    return {
      html: `<html lang="${language.code}"><title>${title}</title><body><article><h1>${title}</h1>${paragraphs}</article></body></html>`,
    }
  }
  const [first = '', ...rest] = lines
  return { markdown: `# ${title}\n\n${first}\n\n${rest.map(line => `- ${line}`).join('\n')}\n` }
}

function metadataOf(page: number, random: Random): Partial<CaptureInput> {
  const price = random(400) / 4
  const released = new Date(Date.UTC(2015 + random(10), random(12), 1 + random(28)))
  return {
    publishedAt: random(3) > 0 ? Date.UTC(2019 + random(5), random(12), 1 + random(28), random(24)) : undefined,
    author: random(2) > 0 ? pick(authors, random) : undefined,
    lang: random(4) > 0 ? languageOf(page).code : undefined,
    kind: random(2) > 0 ? pick(kinds, random) : undefined,
    fields:
      random(2) > 0
        ? { price, tags: [pick(tags, random), pick(tags, random)], inStock: price > 50, released }
        : undefined,
    data:
      random(6) === 0
        ? [{ '@type': 'Product', name: `Model ${page}`, sku: `AB-${1000 + page}`, offers: { price } }]
        : undefined,
    description: random(5) === 0 ? `page ${page}` : undefined,
  }
}

/** What the relevance of the index is set to, one after another. */
const relevances: readonly Relevance[] = [
  { synonyms: [['bridge', 'viaduct', 'Brücke'], { words: ['ferry'], also: ['bac', 'Fähre'] }], stopWords: ['village'] },
  {
    weights: { title: 6, fields: { tags: 2 } },
    rules: [{ when: 'market', boost: [{ filter: { inStock: true }, factor: 2 }] }],
  },
  {
    weights: { title: 1 },
    synonyms: [['honey', 'miel', 'Honig']],
    rules: [{ when: 'train', pin: [{ url: urlOf(10), position: 2 }] }],
  },
]

/** Writes a world into an empty folder: pages in ten languages that change, move, vanish and are purged. */
export async function writeWorld(dir: string, scale: Scale): Promise<void> {
  const random = randomNumbers(scale.pages)
  const clock = { at: startAt }
  let mergeTo = Number.POSITIVE_INFINITY
  const engine = await open(dir, {
    now: () => clock.at,
    searchThreads: 0,
    mergePolicy: segments => (segments.length > mergeTo ? segments.map(({ id }) => id) : []),
  })
  const latest = new Map<number, CaptureInput>()
  try {
    for (let session = 0; session < scale.sessions; session++) {
      const before = clock.at
      clock.at += SESSION_DAYS * DAY_MS
      const declares = session % 3 > 0
      const captures = Array.from({ length: scale.perSession }, () => {
        const page = random(scale.pages)
        const capture = captureOf(page, latest.get(page), random)
        latest.set(page, capture)
        const declared = declares && random(2) === 0
        if (!declared) return capture
        // Now and then a capture of years ago is declared.
        const earliest = random(20) === 0 ? startAt - 900 * DAY_MS : before + 1
        return { ...capture, acquiredAt: earliest + random(clock.at - earliest) }
      })
      const { failures } = await engine.add(captures)
      if (failures.length > 0) throw new Error(failures[0]?.message)
      const after = relevances[session / 6 - 1]
      if (after) await engine.setRelevance(after)
      await endPages(engine, scale, random, clock)
      if (session === Math.floor(scale.sessions / 2)) {
        mergeTo = 1
        await merged(engine)
        mergeTo = Number.POSITIVE_INFINITY
      }
    }
  } finally {
    await engine.close()
  }
}

function captureOf(page: number, before: CaptureInput | undefined, random: Random): CaptureInput {
  const chance = random(10)
  const aliases = random(8) === 0 ? [`https://old.example/${page}/${random(3)}`] : undefined
  if (before && chance < 2) return { ...before, aliases }
  const body = before && chance < 5 ? before : bodyOf(page, random)
  const { markdown, text, html } = body
  return { url: urlOf(page), markdown, text, html, ...metadataOf(page, random), aliases }
}

/** Some pages are seen unchanged, some are removed, and one is purged. */
async function endPages(engine: Engine, { pages }: Scale, random: Random, clock: { at: number }): Promise<void> {
  for (let n = 0; n < 3; n++) {
    clock.at += 60_000
    await engine.markSeen(urlOf(random(pages)))
    const at = clock.at - 1 - random(DAY_MS)
    await engine.remove(urlOf(random(pages)), n === 0 ? { at } : {})
  }
  await engine.purge(urlOf(random(pages)))
}

async function merged(engine: Engine): Promise<void> {
  // A purge is a change, after which the policy is asked.
  await engine.purge('https://nowhere.example/')
  for (;;) {
    const { segments, merges } = await engine.stats()
    if (segments === 1 && merges === 0) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
