import type { ObservationInput } from '@asof/core'

const DAY_MS = 86_400_000

/** The first Monday of the back-test, 00:00 UTC. */
const FIRST_MONDAY = Date.UTC(2025, 0, 6)
const WEEKS = 52

const names = [
  'Alder',
  'Birch',
  'Cedar',
  'Dogwood',
  'Elm',
  'Fir',
  'Gorse',
  'Hazel',
  'Ivy',
  'Juniper',
  'Laurel',
  'Maple',
]
const trades = ['Pumps', 'Ferries', 'Turbines', 'Brakes', 'Lifts', 'Batteries', 'Cranes', 'Tractors', 'Valves', 'Rails']

/** Parts of machines. Each report is about one of them, which is in the address of its page. */
const parts = ['bearings', 'seals', 'welds', 'cables', 'gearboxes', 'sensors', 'coatings', 'hinges', 'hoses', 'bolts']

/** The sentences of a good and a bad story: of its first report, and of the update once the facts are known. */
const stories = {
  good: {
    hint: 'An engineer who saw the parts found no fault.',
    update: 'Update: the inspection confirmed that there is no fault, an order was won, and the shares rose sharply.',
  },
  bad: {
    hint: 'An engineer who saw the parts found a fault.',
    update: 'Update: the inspection confirmed a fault, there is a recall, and the shares fell sharply.',
  },
}

/** A report of a newspaper about one company. */
interface Report {
  url: string
  company: string
  /** The query of a reader who looks for the report. */
  query: string
  /** The Monday after the report was first read, epoch ms. */
  mondayAt: number
}

/** An invented market: what newspapers wrote, when an archive read it, and what the shares did. */
export interface World {
  companies: string[]
  /** Mondays on which the agent decides, epoch ms. */
  mondays: number[]
  /** Everything that the archive read, in no particular order. */
  archive: ObservationInput[]
  reports: Report[]
  /** Returns the return of a company's shares in the week that starts on a Monday: 0.08 is 8 percent. */
  returnOf: (company: string, mondayAt: number) => number
}

/** Returns numbers from 0 up to 1 that are the same in every run: the generator mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Generates the same world in every run. A report starts as a rumor. Up to ten days later the newspaper edits the same page: an update says how the
 * story ended, below the old publish date. In that week the shares move by about 8 percent; in all other weeks they move at random. Of the pages
 * about bad stories every fourth is taken down later. The archive read every eighth page only weeks after its publish date.
 *
 * Nothing that can be read on a Monday says where the shares will go. So a correct back-test shows that the agent earns nothing.
 */
export function createWorld(seed = 7): World {
  const random = seededRandom(seed)
  const companies = names.map((name, i) => `${name} ${trades[i % trades.length]}`)
  const mondays = Array.from({ length: WEEKS }, (_, week) => FIRST_MONDAY + week * 7 * DAY_MS)
  const archive: ObservationInput[] = []
  const reports: Report[] = []
  const returns = new Map<string, number>()

  for (const company of companies) {
    const slug = company.toLowerCase().replace(' ', '-')
    archive.push({
      url: `https://${slug}.example/`,
      title: company,
      text: `${company} builds machines with ${parts.slice(0, 5).join(', ')} and ${parts[5]}.`,
      publishedAt: '2024-11-01',
      acquiredAt: Date.UTC(2024, 10, 2),
    })
    for (const [week, mondayAt] of mondays.entries()) {
      returns.set(`${company} ${mondayAt}`, 0.02 * (random() + random() + random() - 1.5))
      if (week === 0 || week > WEEKS - 3 || random() > 0.2) continue
      const part = parts[Math.floor(random() * parts.length)] ?? ''
      const isGood = random() < 0.5
      // The rumor is drawn apart from the outcome, so nobody can earn from it.
      const rumor = random() < 0.5 ? stories.good : stories.bad
      const outcome = isGood ? stories.good : stories.bad
      const publishedAt = mondayAt - Math.ceil(random() * 3) * DAY_MS
      const readAt = random() < 1 / 8 ? mondayAt + 24 * DAY_MS : publishedAt + 6 * 3_600_000
      const resolvedWeek = week + (random() < 0.5 ? 0 : 1)
      const resolvedAt = (mondays[resolvedWeek] ?? mondayAt) + 2.5 * DAY_MS
      const removedAt = resolvedAt + 30 * DAY_MS
      const day = new Date(publishedAt).toISOString().slice(0, 10)
      const url = `https://news.example/${day}/${slug}-${part}`
      const page = { url, title: `${company}: questions about ${part}`, publishedAt: day }
      const lead = `${company} inspects ${part} after reports from customers.`
      if (readAt < resolvedAt) archive.push({ ...page, text: `${lead} ${rumor.hint}`, acquiredAt: readAt })
      archive.push({
        ...page,
        text: `${lead} ${rumor.hint}\n\n${outcome.update}`,
        acquiredAt: Math.max(readAt, resolvedAt),
      })
      if (!isGood && random() < 1 / 4) archive.push({ url, removedAt })
      if (readAt < mondayAt) reports.push({ url, company, query: `${company} ${part}`, mondayAt })
      const key = `${company} ${mondays[resolvedWeek]}`
      returns.set(key, (returns.get(key) ?? 0) + (isGood ? 0.08 : -0.08))
    }
  }
  return { companies, mondays, archive, reports, returnOf: (company, at) => returns.get(`${company} ${at}`) ?? 0 }
}
