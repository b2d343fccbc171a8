import type { Engine, Fields, ObservationInput } from '../../core/index.ts'

const DAY_MS = 86_400_000

/** The seal: a moment in the middle of the history, and not on a full second. */
export const SEALED_AT = Date.UTC(2024, 5, 15, 12, 0, 0, 250)
/** The first instant of the history. */
export const FIRST_AT = SEALED_AT - 400 * DAY_MS
/** The last instant of the history, when the clock of its engine stands still. */
export const LAST_AT = SEALED_AT + 400 * DAY_MS
/** A word that only pages after the seal have. */
export const LATER_WORD = 'quasarium'

export type Random = (limit: number) => number

/** Pseudo-random whole numbers below a limit (a linear congruential generator: Numerical Recipes, 7.1). */
export function randomNumbers(seed: number): Random {
  let state = seed >>> 0
  return limit => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

export function pick<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T
}

export const words =
  'harvest river stone winter summer bridge garden market engine signal running lantern fähre ernte'.split(' ')
export const sites = ['a.example', 'news.a.example', 'b.example', 'shop.example', 'docs.example']
const colors = ['red', 'green', 'blue']

export function urlOf(random: Random): string {
  return `https://${pick(sites, random)}/${random(12)}`
}

export function wordsOf(random: Random, count: number): string {
  return Array.from({ length: count }, () => pick(words, random)).join(' ')
}

/** A moment of the history at which some observations are made. */
interface Moment {
  at: number
  observations: ObservationInput[]
  removed?: string
  purged?: string
}

/** The history: pages that change, move, come back and go, in two halves around the seal. Some observations are declared later. */
function* moments(): Generator<Moment> {
  const random = randomNumbers(39)
  for (let day = 0; day < 800; day += 4) {
    const at = FIRST_AT + day * DAY_MS + random(DAY_MS)
    const isLater = at > SEALED_AT
    const ofLater: Fields = isLater ? { later: true } : {}
    const observations = Array.from({ length: 1 + random(3) }, (): ObservationInput => {
      const url = urlOf(random)
      if (random(9) === 0) return { url, seenAt: at }
      const price = 1 + random(90)
      const name = `${wordsOf(random, 2)}${isLater ? ` ${LATER_WORD}` : ''}`
      return {
        url,
        title: `The ${name}`,
        markdown: `# ${name}\n\n${wordsOf(random, 12)}.\n\nThe ${wordsOf(random, 6)} **${wordsOf(random, 2)}** opens.${isLater ? ` ${LATER_WORD}.` : ''}`,
        acquiredAt: random(3) > 0 ? at - random(3) * 1000 : undefined,
        publishedAt: random(2) > 0 ? at - random(60) * DAY_MS - 5_000 : undefined,
        author: random(2) > 0 ? wordsOf(random, 2) : undefined,
        fields: random(2) > 0 ? { price, color: pick(colors, random), ...ofLater } : undefined,
        aliases: random(5) === 0 ? [`https://alias.example/${random(6)}`] : undefined,
        data:
          random(3) === 0
            ? [{ '@type': 'Product', name, offers: { '@type': 'Offer', price: String(price), priceCurrency: 'EUR' } }]
            : undefined,
      }
    })
    yield {
      at,
      observations,
      removed: random(6) === 0 ? urlOf(random) : undefined,
      purged: isLater && random(40) === 0 ? `https://late.example/${random(4)}` : undefined,
    }
    if (isLater)
      yield { at: at + 60_000, observations: [{ url: `https://late.example/${random(4)}`, text: LATER_WORD }] }
  }
}

/**
 * Plays the history into an engine.
 *
 * @param until - the instant after which nothing is observed.
 * @param setClock - sets the clock of the engine, epoch ms.
 */
export async function playWorld(engine: Engine, until: number, setClock: (at: number) => void): Promise<void> {
  let hasRelevance = 0
  for (const { at, observations, removed, purged } of moments()) {
    if (at > until) break
    setClock(at)
    if (hasRelevance === 0 && at > SEALED_AT - 100 * DAY_MS) {
      hasRelevance = 1
      await engine.setRelevance({ synonyms: [['harvest', 'ernte']], weights: { title: 2 } })
    }
    if (hasRelevance === 1 && at > SEALED_AT) {
      hasRelevance = 2
      await engine.setRelevance({ synonyms: [['river', LATER_WORD]] })
    }
    const { failures } = await engine.add(observations)
    if (failures[0]) throw new Error(failures[0].message)
    if (removed !== undefined) await engine.remove(removed)
    if (purged !== undefined) await engine.purge(purged)
  }
  setClock(until)
}
