export interface RobotsDirectives {
  noindex: boolean
  nofollow: boolean
}

const known = new Set(['noindex', 'nofollow', 'none', 'all', 'index', 'follow', 'noarchive', 'nosnippet'])

/**
 * Reads an `X-Robots-Tag` header, several of them joined by commas included.
 *
 * @param agent - our product token: directives after another crawler's name (`otherbot: noindex`) don't count.
 */
export function parseRobotsTag(header: string | undefined, agent: string): RobotsDirectives {
  const found = { noindex: false, nofollow: false }
  let ours = true
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const colon = part.indexOf(':')
    let directive = part.trim()
    // `max-snippet: 10` and `unavailable_after: …` have a colon too, but what follows is no directive.
    if (colon >= 0 && known.has(part.slice(colon + 1).trim())) {
      ours = part.slice(0, colon).trim() === agent.toLowerCase()
      directive = part.slice(colon + 1).trim()
    }
    if (!ours) continue
    if (directive === 'noindex' || directive === 'none') found.noindex = true
    if (directive === 'nofollow' || directive === 'none') found.nofollow = true
  }
  return found
}
