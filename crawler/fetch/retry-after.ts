const maxRetryAfterMs = 24 * 60 * 60 * 1000

/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3): whole seconds or an HTTP date.
 *
 * @param nowAt - the current time, epoch ms.
 * @returns the time to wait, 0 to a day, ms; `undefined` if the header is missing or invalid.
 */
export function parseRetryAfter(header: string | undefined, nowAt: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const waitMs = /^\d{1,9}$/.test(text)
    ? Number(text) * 1000
    : /GMT$/.test(text)
      ? Date.parse(text) - nowAt
      : Number.NaN
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), maxRetryAfterMs)
}
