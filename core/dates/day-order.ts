import type { DayOrder } from './date-text.ts'

/** How numeric dates of a page are read: by its language, and where that is English or unknown by its domain. */
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
