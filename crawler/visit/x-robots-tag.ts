export interface HeaderDirectives {
  noindex: boolean
  nofollow: boolean
  /** When results must stop showing the page, as written. */
  unavailableAfter?: string
}

const directives = new Set(['noindex', 'nofollow', 'none', 'all', 'index', 'follow', 'noarchive', 'nosnippet'])

/**
 * Parses an `X-Robots-Tag` header, or several joined by commas.
 *
 * @param productToken - that of this crawler. Directives for another crawler (`otherbot: noindex`) are ignored.
 */
export function parseRobotsTag(header: string | undefined, productToken: string): HeaderDirectives {
  const found: HeaderDirectives = { noindex: false, nofollow: false }
  let ours = true
  const parts = (header ?? '').toLowerCase().split(',')
  for (const [i, part] of parts.entries()) {
    const colon = part.indexOf(':')
    let directive = part.trim()
    // In `max-snippet: 10` and `unavailable_after: …`, the part before the colon is a directive, not a crawler.
    const rest = part.slice(colon + 1).trim()
    if (colon >= 0 && (directives.has(rest) || rest.startsWith('unavailable_after:'))) {
      ours = part.slice(0, colon).trim() === productToken.toLowerCase()
      directive = part.slice(colon + 1).trim()
    }
    if (!ours) continue
    // The date may have a comma: `Sat, 30 Aug 2008`, `Saturday, 30-Aug-08`.
    const date = /^unavailable_after:\s*(.*)$/.exec(directive)?.[1]
    if (date !== undefined) found.unavailableAfter ??= /\d/.test(date) ? date : `${date},${parts[i + 1] ?? ''}`
    if (directive === 'noindex' || directive === 'none') found.noindex = true
    if (directive === 'nofollow' || directive === 'none') found.nofollow = true
  }
  return found
}
