/**
 * Returns until when a private cache may use a response without asking the server again (RFC 9111, 4.2).
 *
 * @param receivedAt - epoch ms.
 * @returns epoch ms; undefined if the response does not say, is already stale, or must not be used without asking.
 */
export function freshUntil(headers: Readonly<Record<string, string>>, receivedAt: number): number | undefined {
  const directives = parseCacheControl(headers['cache-control'])
  if (directives.has('no-store') || directives.has('no-cache')) return undefined
  const ageMs = seconds(headers.age) ?? 0
  const maxAge = directives.get('max-age')
  if (maxAge !== undefined) {
    const lifetimeMs = seconds(maxAge)
    return lifetimeMs === undefined || lifetimeMs <= ageMs ? undefined : receivedAt + lifetimeMs - ageMs
  }
  const expiresAt = httpDate(headers.expires)
  if (expiresAt === undefined) return undefined
  // `Expires` is compared with the server's own date, because its clock may be wrong.
  const lifetimeMs = expiresAt - (httpDate(headers.date) ?? receivedAt) - ageMs
  return lifetimeMs > 0 ? receivedAt + lifetimeMs : undefined
}

function parseCacheControl(header: string | undefined): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of (header ?? '').slice(0, 4096).split(',')) {
    const equals = part.indexOf('=')
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase()
    const value =
      equals < 0
        ? ''
        : part
            .slice(equals + 1)
            .trim()
            .replace(/^"(.*)"$/, '$1')
    // If a directive is repeated, the first one counts (RFC 9111, 4.2.1).
    if (name !== '' && !found.has(name)) found.set(name, value)
  }
  return found
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) * 1000 : undefined
}

function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/GMT$/.test(text.trim())) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
