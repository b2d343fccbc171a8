import type { DayOrder } from './date-text.ts'

/** Returns the order in which a page writes numeric dates: by its language or, if that is English or unknown, by its domain. */
export function dayOrder(lang: string, url: string): DayOrder {
  const host = URL.parse(url)?.hostname ?? ''
  const tag = lang.toLowerCase()
  if (/\.(?:uk|au|nz|ie|in|za)$/.test(host) || /^en-(?!us)/.test(tag)) return 'day-first'
  return tag === '' || tag.startsWith('en')
    ? /\.(?:com|org|net|us|edu|gov)$/.test(host)
      ? 'month-first'
      : 'day-first'
    : 'day-first'
}
