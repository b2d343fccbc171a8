export interface RobotsDirectives {
  noindex: boolean
  nofollow: boolean
}

const directives = new Set(['noindex', 'nofollow', 'none', 'all', 'index', 'follow', 'noarchive', 'nosnippet'])

/**
 * Parses an `X-Robots-Tag` header, or several joined by commas.
 *
 * @param productToken - that of this crawler. Directives for another crawler (`otherbot: noindex`) are ignored.
 */
export function parseRobotsTag(header: string | undefined, productToken: string): RobotsDirectives {
  const found = { noindex: false, nofollow: false }
  let ours = true
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const colon = part.indexOf(':')
    let directive = part.trim()
    // In `max-snippet: 10` and `unavailable_after: …`, the part before the colon is a directive, not a crawler.
    if (colon >= 0 && directives.has(part.slice(colon + 1).trim())) {
      ours = part.slice(0, colon).trim() === productToken.toLowerCase()
      directive = part.slice(colon + 1).trim()
    }
    if (!ours) continue
    if (directive === 'noindex' || directive === 'none') found.noindex = true
    if (directive === 'nofollow' || directive === 'none') found.nofollow = true
  }
  return found
}
