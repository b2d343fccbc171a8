import { type Random, seededRandom, zipf } from '../apparatus/random.ts'
import { wordOf } from '../apparatus/synthetic.ts'
import type { DocChange } from './doc-history.ts'

const DAY_MS = 86_400_000
const FIRST_AT = Date.UTC(2022, 0, 1)
const SPAN_DAYS = 3 * 365
const SEASON_DAYS = 180
const SEASON_WORDS = 60
const VOCABULARY = 8_000
const ranks = zipf(VOCABULARY)

/** A sentence with a value that changes, such as a price. */
interface Fact {
  sentence: (value: string) => string
  draw: (random: Random) => string
  value: string
}

interface Page {
  title: string
  prose: string[]
  facts: Fact[]
}

/**
 * Generates the changes of documentation: limits, prices, defaults, versions and names of options change, sentences are edited, pages
 * appear, vanish, move and come back. A fifth of the words of new sentences are those of the season, so that the frequencies of words change,
 * too. The same number and seed give the same changes.
 */
export function generatedDocs(pages: number, seed: number): DocChange[] {
  return Array.from({ length: pages }, (_, number) => pageChanges(seed, number))
    .flat()
    .sort((a, b) => a.at - b.at)
}

function pageChanges(seed: number, number: number): DocChange[] {
  const random = seededRandom(seed, number)
  let url = `https://docs${number % 7}.example/${number}`
  const changes: DocChange[] = []
  // Half of the pages are there from the first month on.
  let day = random.next() < 0.5 ? 30 * random.next() : SPAN_DAYS * random.next()
  const page = newPage(day, random)
  let exists = true
  while (day < SPAN_DAYS) {
    const text = [...page.prose, ...page.facts.map(({ sentence, value }) => sentence(value))].join('\n\n')
    const at = FIRST_AT + Math.floor(day * DAY_MS)
    changes.push({ url, at, title: page.title, text: exists ? text : undefined })
    day += 1 + 240 * random.next()
    exists = !exists || random.below(16) > 0
    if (changes.at(-1)?.text === undefined && random.below(2) === 0) url += '-moved'
    change(page, day, random)
  }
  return changes
}

function newPage(day: number, random: Random): Page {
  const name = `${word(random)} ${word(random)}`
  return {
    title: `${name} ${word(random)}`,
    prose: Array.from({ length: 4 + random.below(12) }, () => sentence(day, random)),
    facts: factsOf(name, random).filter(() => random.below(3) > 0),
  }
}

function factsOf(name: string, random: Random): Fact[] {
  const number = (most: number, step: number) => (random: Random) => String(step * (1 + random.below(most)))
  const version = (random: Random) => `${1 + random.below(9)}.${random.below(20)}`
  const option = (random: Random) => `\`${word(random)}-${word(random)}\``
  const other = word(random)
  const facts: Omit<Fact, 'value'>[] = [
    { sentence: value => `The default timeout of ${name} is ${value} seconds.`, draw: number(40, 5) },
    { sentence: value => `The limit of ${name} is ${value} requests per minute.`, draw: number(50, 20) },
    { sentence: value => `The monthly price of ${name} is ${value} dollars.`, draw: number(80, 1) },
    { sentence: value => `${name} requires version ${value} of ${other}.`, draw: version },
    { sentence: value => `The option ${value} sets the number of workers of ${name}.`, draw: option },
  ]
  return facts.map(fact => ({ ...fact, value: fact.draw(random) }))
}

function change(page: Page, day: number, random: Random): void {
  const kind = random.below(8)
  const fact = page.facts[random.below(page.facts.length)]
  if (kind < 4 && fact) fact.value = fact.draw(random)
  else if (kind < 6) page.prose[random.below(page.prose.length)] = sentence(day, random)
  else page.prose.push(sentence(day, random), sentence(day, random))
}

function sentence(day: number, random: Random): string {
  const season = Math.floor(day / SEASON_DAYS)
  const words = Array.from({ length: 6 + random.below(15) }, () =>
    random.below(5) > 0
      ? wordOf(ranks.draw(random))
      : wordOf(VOCABULARY / 2 + season * SEASON_WORDS + random.below(SEASON_WORDS)),
  ).join(' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** Returns a word that is neither frequent nor unique. */
const word = (random: Random) => wordOf(300 + random.below(2_000))
