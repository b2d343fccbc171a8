const DAY_MS = 86_400_000
/** Of days whose text is kept; some years of pages. */
const MAX_DAYS = 10_000
/** The farthest instant that a `Date` holds, either way. */
const MAX_INSTANT = 8.64e15

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'))

const dayTexts = new Map<number, string>()

/** A day as `2026-01-31T`. @param day - since the epoch. */
function dayText(day: number): string {
  let text = dayTexts.get(day)
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
    if (dayTexts.size >= MAX_DAYS) dayTexts.clear()
    dayTexts.set(day, text)
  }
  return text
}

/**
 * An instant in ISO 8601, UTC, as `toISOString` of a `Date` writes it, at a quarter of its cost: a search writes twenty.
 *
 * @param at - epoch ms; a fraction is dropped.
 * @throws RangeError - no `Date` holds it.
 */
export function timestamp(at: number): string {
  if (!(Math.abs(at) <= MAX_INSTANT)) throw new RangeError(`${at} is no instant`)
  const instant = Math.trunc(at)
  const day = Math.floor(instant / DAY_MS)
  const ms = instant - day * DAY_MS
  const seconds = Math.floor(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  return `${dayText(day)}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${threeDigits[ms % 1_000]}Z`
}
