import type { CapturesResponse } from '../api/wire.ts'
import type { Moment } from './moment.ts'

type Interval = CapturesResponse['interval']

/** A part of the history, from `at` until before `endsAt`, epoch milliseconds. */
export interface Bin {
  at: number
  endsAt: number
  captures: number
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const

function startAfter(interval: Interval, start: number): number {
  if (interval !== 'month' && interval !== 'year') return start + lengths[interval]
  const date = new Date(start)
  const months = interval === 'month' ? 1 : 12
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** The history of the index, as the slider needs it: every bin from the first capture to now, also those without captures. */
export class Timeline {
  readonly interval: Interval
  readonly bins: readonly Bin[]
  readonly captures: number
  readonly urls: number
  /** The last moment: now, or the seal of the index. */
  readonly now: number
  readonly isSealed: boolean
  /** The ends of the bins with captures: the moments at which an answer can differ from the one before. Ascending; now is the last. */
  readonly changes: readonly number[]

  constructor({ interval, bins, captures, urls, sealed_at: sealedAt }: CapturesResponse, now: number) {
    this.interval = interval
    this.captures = captures
    this.urls = urls
    const counted = bins.map(bin => ({
      at: Date.parse(bin.at),
      endsAt: Date.parse(bin.ends_at),
      captures: bin.captures,
    }))
    const last = counted.at(-1)
    this.isSealed = sealedAt !== undefined
    this.now = sealedAt === undefined ? Math.max(now, last ? last.at + 1 : now) : Date.parse(sealedAt)
    this.bins = filled(interval, counted, this.now)
    const ends = counted.map(({ endsAt }) => endsAt - 1).filter(at => at < this.now)
    this.changes = [...ends, this.now]
  }

  /** True if there is more than one moment to choose. */
  get isLong(): boolean {
    return this.changes.length > 1
  }

  get start(): number {
    return this.bins[0]?.at ?? this.now
  }

  /** The bin that contains an instant; the first or last one for an instant outside. */
  binAt(at: number): Bin | undefined {
    return this.bins.findLast(bin => bin.at <= at) ?? this.bins[0]
  }

  /** The moment that a place of the line stands for: the end of its bin, so that all captures of the bin count. */
  snap(at: number): Moment {
    const end = (this.binAt(at)?.endsAt ?? this.now) - 1
    return end >= this.now ? undefined : end
  }

  /** The change of the index that is `steps` changes from a moment. */
  step(from: Moment, steps: number): Moment {
    const at = from ?? this.now
    const place =
      steps > 0 ? this.changes.findIndex(change => change > at) : this.changes.findLastIndex(change => change < at)
    if (place < 0) return steps > 0 ? undefined : this.changes[0]
    const to = this.changes[Math.min(this.changes.length - 1, Math.max(0, place + steps - Math.sign(steps)))]
    return to === undefined || to >= this.now ? undefined : to
  }

  /** Number of captures up to a moment, by whole bins. */
  capturesUpTo(moment: Moment): number {
    if (moment === undefined) return this.captures
    return this.bins.reduce((total, bin) => (bin.endsAt - 1 <= moment ? total + bin.captures : total), 0)
  }

  label({ at, endsAt }: Bin): string {
    switch (this.interval) {
      case 'minute':
        return `${dayFormat.format(at)}, ${timeFormat.format(at)}`
      case 'hour':
        return `${dayFormat.format(at)}, ${timeFormat.format(at)} to ${timeFormat.format(endsAt)}`
      case 'day':
        return dayFormat.format(at)
      case 'week':
        return `week of ${dayFormat.format(at)}`
      case 'month':
        return monthFormat.format(at)
      case 'year':
        return String(new Date(at).getUTCFullYear())
    }
  }
}

/** No history has more bins than this many: a clock that is far off must not fill the memory. */
const MAX_BINS = 5_000

function filled(interval: Interval, counted: readonly Bin[], now: number): Bin[] {
  const [first] = counted
  if (!first) return []
  const byStart = new Map(counted.map(bin => [bin.at, bin]))
  const bins: Bin[] = []
  for (let at = first.at; at <= now && bins.length < MAX_BINS; at = startAfter(interval, at))
    bins.push(byStart.get(at) ?? { at, endsAt: startAfter(interval, at), captures: 0 })
  return bins
}
