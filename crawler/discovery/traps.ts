const MAX_URL_CHARS = 2048
const MAX_SEGMENTS = 32
const MAX_SEGMENT_REPEATS = 3
const MAX_PARAMETERS = 32
const YEAR_MS = 366 * 24 * 60 * 60 * 1000

/**
 * True if a URL looks like part of a crawler trap: it is too long or deep, repeats a path segment or parameter many
 * times, or is a calendar page for a day more than a year from now.
 *
 * @param nowAt - epoch ms.
 */
export function isTrap(url: URL, nowAt: number): boolean {
  if (url.href.length > MAX_URL_CHARS) return true
  const segments = url.pathname.split('/')
  if (segments.length > MAX_SEGMENTS || repeats(segments)) return true
  const parameters = url.search === '' ? [] : url.search.slice(1).split('&')
  if (parameters.length > MAX_PARAMETERS || repeats(parameters.map(part => part.split('=', 1)[0] ?? part))) return true
  return isFarFuture(`${url.pathname}${url.search}`, nowAt)
}

function repeats(parts: string[]): boolean {
  if (parts.length <= MAX_SEGMENT_REPEATS) return false
  const seen = new Map<string, number>()
  for (const part of parts) {
    const times = (seen.get(part) ?? 0) + 1
    if (part !== '' && times > MAX_SEGMENT_REPEATS) return true
    seen.set(part, times)
  }
  return false
}

// A year counts only next to a month, since a single number may mean anything: /2031/05, 2031-05-12, year=2031&month=5.
const datesInPath = /(?<![\d.])(\d{4})[-/](0?[1-9]|1[0-2])(?![\d.])/g
const yearParameter = /[?&](?:year|yr|y)=(\d{4,6})(?:&|$)/i
const monthParameter = /[?&](?:month|mon|mo|m)=(?:0?[1-9]|1[0-2])(?:&|$)/i

function isFarFuture(pathAndQuery: string, nowAt: number): boolean {
  if (!/\d{4}/.test(pathAndQuery)) return false
  const lastYear = new Date(nowAt + YEAR_MS).getUTCFullYear()
  for (const [, year] of pathAndQuery.matchAll(datesInPath))
    if (Number(year) > lastYear && Number(year) < 3000) return true
  const year = yearParameter.exec(pathAndQuery)?.[1]
  return year !== undefined && Number(year) > lastYear && monthParameter.test(pathAndQuery)
}
