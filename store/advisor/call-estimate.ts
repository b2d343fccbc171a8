import { ceilDivide } from '../../service/index.ts'
import { goalWords } from './goal-words.ts'
import type { QuoteRequest } from './quote.ts'
import { writtenCount } from './written-count.ts'

/** The number of calls that a goal needs. */
export interface CallEstimate {
  calls: bigint
  /** Seconds over which the goal spreads its calls, if the goal states a time. */
  seconds: bigint | undefined
  /** Calls a second that the goal asks for, if it states a period or an interval. */
  perSecond: number | undefined
  /** A sentence for the guide that says how the number was estimated. It contains no text of the goal. */
  basis: string
}

const DAY = 86_400
const units: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
}
const adverbs: Readonly<Record<string, number>> = {
  hourly: 3_600,
  daily: DAY,
  nightly: DAY,
  weekly: 7 * DAY,
  monthly: 30 * DAY,
  yearly: 365 * DAY,
}

/** Names of things that take one call each, such as pages. */
const things = new Set(
  'search searches query queries call calls request requests lookup lookups fetch fetches read reads page pages webpage webpages url urls article articles document documents site sites website websites question questions topic topics keyword keywords company companies product products competitor competitors post posts paper papers'.split(
    ' ',
  ),
)
/** Words that end the description of a thing, so that "10 results per page" is not read as 10 pages. */
const ends = new Set(
  'per a an each every for in over and or of from with to by on at during within than last /'.split(' '),
)
const MAX_ADJECTIVES = 3

/** Words before a length of time. */
const lengthWords = new Set(['for', 'over', 'during', 'within', 'in', 'next'])

/** The period over which recurring calls are added up if the goal states no end. */
const DEFAULT_SECONDS = 30 * DAY

function unitAt(words: readonly string[], at: number): number | undefined {
  const word = words[at] ?? ''
  const singular = word.endsWith('s') ? word.slice(0, -1) : word
  return Object.hasOwn(units, singular) ? units[singular] : undefined
}

/** Recurring calls: `times` calls in each interval of `every` seconds. */
interface Recurrence {
  times: number
  every: number
}

/**
 * Returns the number of times that the words before a position state: 2 for `twice a day`, 5 for `5 times a day`, otherwise
 * 1.
 */
function timesBefore(words: readonly string[], at: number): number {
  const before = words[at - 1]
  if (before === 'twice') return 2
  const written = before === 'times' ? writtenCount(words, at - 2) : undefined
  return Math.max(written?.count ?? 1, 1)
}

/** Returns the recurrence at a position: `daily`, `per day`, `/ hour`, `every 5 minutes`, `twice a week`. */
function recurrenceAt(words: readonly string[], at: number): Recurrence | undefined {
  const word = words[at] ?? ''
  const before = words[at - 1] ?? ''
  const times = timesBefore(words, at)
  if (Object.hasOwn(adverbs, word)) return { times, every: adverbs[word] ?? DAY }
  if (!['per', 'a', 'an', 'each', 'every', '/'].includes(word)) return undefined
  // "for a day" and "over a month" are lengths of time, and "$500 per month" is a price.
  if ((word === 'a' || word === 'an') && lengthWords.has(before)) return undefined
  if (/^[$€£]/.test(before)) return undefined
  const interval = word === 'every' ? writtenCount(words, at + 1) : undefined
  const unit = unitAt(words, interval?.next ?? at + 1)
  return unit === undefined ? undefined : { times, every: unit * Math.max(interval?.count ?? 1, 1) }
}

/**
 * Returns the first length of time in the goal, such as `for 2 weeks` or `over the next month`, but not `the last 2 weeks`.
 */
function lengthIn(words: readonly string[]): number | undefined {
  for (const [i, word] of words.entries()) {
    if (!lengthWords.has(word)) continue
    let at = i + 1
    while (['the', 'next', 'a', 'an', 'about', 'coming'].includes(words[at] ?? '')) at += 1
    const written = writtenCount(words, at)
    const unit = unitAt(words, written?.next ?? at)
    if (unit !== undefined) return unit * Math.max(written?.count ?? 1, 1)
  }
  return undefined
}

/** A number of things that the goal states, and the position after it. */
interface Amount {
  count: number
  next: number
}

function amountAt(words: readonly string[], at: number): Amount | undefined {
  const written = writtenCount(words, at)
  if (!written || written.count === 0) return undefined
  // In "500/day" and "500 a day" the number counts calls.
  if (recurrenceAt(words, written.next)) return written
  for (let i = written.next; i <= written.next + MAX_ADJECTIVES; i += 1) {
    const word = words[i] ?? ''
    if (word === '' || ends.has(word) || writtenCount(words, i)) return undefined
    if (things.has(word)) return { count: written.count, next: i + 1 }
  }
  return undefined
}

interface Stated {
  amounts: { count: number; recurrence: Recurrence | undefined }[]
  /** The recurrences that do not follow an amount. */
  recurrences: Recurrence[]
}

/**
 * Collects amounts and recurrences. A recurrence belongs to the amount before it, unless that amount has one already. Further
 * recurrences are listed apart.
 */
function statedIn(words: readonly string[]): Stated {
  const stated: Stated = { amounts: [], recurrences: [] }
  for (let i = 0; i < words.length; ) {
    const amount = amountAt(words, i)
    const recurrence = amount ? undefined : recurrenceAt(words, i)
    const latest = stated.amounts.at(-1)
    if (amount) stated.amounts.push({ count: amount.count, recurrence: undefined })
    else if (recurrence && latest && !latest.recurrence) latest.recurrence = recurrence
    else if (recurrence) stated.recurrences.push(recurrence)
    i = amount?.next ?? i + 1
  }
  return stated
}

function callsOf(count: number, recurrence: Recurrence | undefined, seconds: number): bigint {
  if (!recurrence) return BigInt(count)
  return ceilDivide(BigInt(count) * BigInt(recurrence.times) * BigInt(seconds), BigInt(recurrence.every))
}

/** Returns the recurring calls a second. */
function recurringPace({ amounts, recurrences: [common] }: Stated): number {
  const recurring = amounts.length > 0 ? amounts : [{ count: 1, recurrence: common }]
  return recurring.reduce((sum, { count, recurrence = common }) => {
    return recurrence ? sum + (count * recurrence.times) / recurrence.every : sum
  }, 0)
}

/** Returns the pace of a number of calls, some of which recur, or `undefined` if the goal states no time. */
function paceOf(calls: bigint, seconds: bigint | undefined, stated: Stated): number | undefined {
  const average = seconds === undefined ? 0 : Number(calls) / Number(seconds)
  const pace = Math.max(average, recurringPace(stated))
  return pace === 0 ? undefined : pace
}

/** Estimates the calls from the words of the goal. Returns `undefined` if it states no number. */
function fromGoal(words: readonly string[]): CallEstimate | undefined {
  const stated = statedIn(words)
  const { amounts, recurrences } = stated
  const length = lengthIn(words)
  const common = recurrences[0]
  const rates = [...amounts.flatMap(({ recurrence }) => recurrence ?? []), ...recurrences].map(({ every }) => every)
  if (rates.length === 0) {
    const seconds = length === undefined ? undefined : BigInt(length)
    const urls = words.filter(word => /^https?:\/\//.test(word)).length
    if (amounts.length > 0) {
      const calls = amounts.reduce((sum, { count }) => sum + BigInt(count), 0n)
      const basis = 'the numbers in the goal, with one call for each thing that it counts'
      return { calls, seconds, perSecond: paceOf(calls, seconds, stated), basis }
    }
    const calls = BigInt(urls)
    const basis = 'the URLs in the goal, with one call for each'
    return urls === 0 ? undefined : { calls, seconds, perSecond: paceOf(calls, seconds, stated), basis }
  }
  const period = length ?? Math.max(DEFAULT_SECONDS, ...rates)
  const seconds = BigInt(period)
  const recurring = amounts.length > 0 ? amounts : [{ count: 1, recurrence: common }]
  const calls = recurring.reduce((sum, { count, recurrence = common }) => sum + callsOf(count, recurrence, period), 0n)
  const days = ceilDivide(seconds, BigInt(DAY))
  const end = length === undefined ? `; the goal states no end, so ${days} days are assumed` : ''
  const basis = `the numbers and periods in the goal${end}`
  return { calls, seconds, perSecond: paceOf(calls, seconds, stated), basis }
}

/** Estimates the number of calls: from the quantity of the request, or without one from the words of the goal. */
export function estimateCalls({ goal, quantity }: Pick<QuoteRequest, 'goal' | 'quantity'>): CallEstimate | undefined {
  const words = goalWords(goal)
  if (quantity === undefined) return fromGoal(words)
  const calls = BigInt(quantity)
  const length = lengthIn(words)
  const seconds = length === undefined ? undefined : BigInt(length)
  return { calls, seconds, perSecond: paceOf(calls, seconds, statedIn(words)), basis: 'the quantity of the request' }
}
