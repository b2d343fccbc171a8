import { invalidOption } from '@asof/core/options'
import { productToken } from './product-token.ts'
import { compilePattern, normalizePath, type PathPattern } from './robots-pattern.ts'

/** Number of bytes of a robots.txt that are read; the rest is ignored. RFC 9309, 2.5 requires at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 500 * 1024

/** The rules of one robots.txt file. */
export interface RobotsRules {
  /**
   * Returns whether a crawler may fetch a URL of the file's origin. `/robots.txt` itself may always be fetched.
   *
   * @param agent - a product token (`asof`), or a user-agent string that starts with one (`asof/1.0 (+https://…)`). Tokens
   *   are compared as a whole, digits included, ignoring case: the group of `crawler1` does not apply to `crawler3`.
   * @param url - absolute. A URL that cannot be parsed is not allowed.
   */
  allowed(agent: string, url: string): boolean
  /** Returns the `Crawl-delay` for an agent in seconds, 0 to 86,400; `undefined` if the file has none. */
  crawlDelay(agent: string): number | undefined
  /** Absolute http(s) URLs of the sitemaps that the file names, in file order, each once; at most 1,000. */
  readonly sitemaps: string[]
}

interface Rule {
  allow: boolean
  pattern: PathPattern
}

interface Group {
  agents: Set<string>
  rules: Rule[]
  crawlDelay: number | undefined
}

const maxSitemaps = 1000
const maxCrawlDelaySeconds = 86_400
// The reference parser of the RFC's authors cuts lines at this length, and some real files depend on it.
const maxLineChars = 2083 * 8 - 1
const anyAgent = '*'
/**
 * Maximum number of string searches for matching one URL, over all rules of an agent. That many take some milliseconds at
 * worst. Of 700 real files, the one with the most searches needs 641.
 */
const maxSearches = 1000

/**
 * Parses a robots.txt by RFC 9309. Accepts the common misspellings that Google's reference parser accepts. Any bytes are
 * valid: lines that are not rules are skipped, and a file without rules allows everything.
 *
 * @param bytes - the file; at most {@link MAX_ROBOTS_BYTES} are read.
 * @param robotsUrl - the URL of the file. Relative sitemap URLs are resolved against it.
 * @throws ASOF_INVALID_OPTION - `bytes` is not a Uint8Array, or `robotsUrl` is not a string.
 */
export function parseRobots(bytes: Uint8Array, robotsUrl: string): RobotsRules {
  if (!(bytes instanceof Uint8Array)) throw invalidOption('bytes', 'must be a Uint8Array, as the file was served')
  if (typeof robotsUrl !== 'string') throw invalidOption('robotsUrl', 'must be the URL of the file')
  const groups: Group[] = []
  const sitemaps = new Set<string>()
  let group: Group | undefined
  let rulesSeen = false

  for (const line of linesOf(bytes)) {
    const field = parseLine(line)
    if (!field) continue
    const { key, value } = field
    switch (key) {
      case 'user-agent':
        // Only a rule ends the list of agents of a group (RFC 9309, 2.1). An unknown line or a Crawl-delay does not.
        if (!group || rulesSeen) {
          group = { agents: new Set(), rules: [], crawlDelay: undefined }
          groups.push(group)
          rulesSeen = false
        }
        group.agents.add(agentOfLine(value))
        break
      case 'allow':
      case 'disallow':
        if (!group) break
        rulesSeen = true
        group.rules.push({ allow: key === 'allow', pattern: compilePattern(value) })
        if (key === 'allow') pushDirectoryOfIndex(group.rules, value)
        break
      case 'crawl-delay':
        if (group) group.crawlDelay ??= parseDelay(value)
        break
      case 'sitemap':
        if (sitemaps.size < maxSitemaps) {
          const url = URL.parse(Buffer.from(value, 'latin1').toString('utf8'), robotsUrl)
          if (url && (url.protocol === 'http:' || url.protocol === 'https:')) sitemaps.add(url.href)
        }
        break
    }
  }

  const byAgent = new Map<string, { rules: Rule[]; crawlDelay: number | undefined }>()
  const rulesFor = (agent: string) => {
    const token = productToken(agent)
    let found = byAgent.get(token)
    if (!found) {
      // Several groups for one agent count as one (RFC 9309, 2.2.1); the groups for `*` count only if none names the agent.
      let matching = token === '' ? [] : groups.filter(candidate => candidate.agents.has(token))
      if (matching.length === 0) matching = groups.filter(candidate => candidate.agents.has(anyAgent))
      const rules = matching.flatMap(candidate => candidate.rules)
      // Rules are sorted by length, longest first, and Allow before Disallow: the first match decides (RFC 9309, 2.2.2).
      rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))
      found = {
        rules: withinBudget(rules),
        crawlDelay: matching.find(candidate => candidate.crawlDelay !== undefined)?.crawlDelay,
      }
      byAgent.set(token, found)
    }
    return found
  }

  return {
    allowed(agent, url) {
      const parsed = URL.parse(url)
      if (!parsed) return false
      if (parsed.pathname === '/robots.txt') return true
      const path = normalizePath(pathAndQuery(parsed))
      for (const rule of rulesFor(agent).rules) if (rule.pattern.matches(path)) return rule.allow
      return true
    },
    crawlDelay: agent => rulesFor(agent).crawlDelay,
    sitemaps: [...sitemaps],
  }
}

/**
 * Reduces rules until at most {@link maxSearches} searches are needed. The longest rules are kept. A shorter Disallow is
 * replaced by one for all paths that start with the head of its pattern, and a shorter Allow is dropped. So a URL that the
 * file forbids is never fetched.
 */
function withinBudget(rules: readonly Rule[]): Rule[] {
  let left = maxSearches
  return rules.flatMap(rule => {
    const { length, searches, head } = rule.pattern
    left -= searches
    if (searches === 0 || left >= 0) return rule
    return rule.allow
      ? []
      : { allow: false, pattern: { length, searches: 0, head, matches: path => path.startsWith(head) } }
  })
}

/** Returns path and query as they are sent. `URL.search` omits a final `?` without a query, but `Disallow: /*?` matches it. */
function pathAndQuery(url: URL): string {
  const start = url.href.indexOf('/', url.protocol.length + 2)
  const end = url.href.indexOf('#')
  return start < 0 ? '/' : url.href.slice(start, end < 0 ? undefined : end)
}

/** Yields lines as strings of bytes (latin1), so that each byte of a non-ASCII character can be escaped. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const cut = Math.min(bytes.length, MAX_ROBOTS_BYTES)
  // A byte order mark is skipped, even an incomplete one.
  let start = 0
  for (const byte of [0xef, 0xbb, 0xbf]) if (bytes[start] === byte) start++
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, cut - start)).toString('latin1')
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 10
    if (code !== 10 && code !== 13) continue
    if (i > from) yield text.slice(from, Math.min(i, from + maxLineChars))
    from = i + 1
  }
}

type Key = 'user-agent' | 'allow' | 'disallow' | 'sitemap' | 'crawl-delay'

const keyPrefixes: readonly (readonly [prefix: string, key: Key])[] = [
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
]

function parseLine(line: string): { key: Key; value: string } | undefined {
  let end = line.length
  for (const stop of ['#', '\0']) {
    const at = line.indexOf(stop)
    if (at >= 0 && at < end) end = at
  }
  const text = stripSpace(line.slice(0, end))
  let separator = text.indexOf(':')
  if (separator < 0) {
    // In a line without a colon, exactly two words are a field and its value.
    separator = spaceIndex(text)
    if (separator < 0 || spaceIndex(stripSpace(text.slice(separator))) >= 0) return undefined
  }
  const name = stripSpace(text.slice(0, separator)).toLowerCase()
  const match = keyPrefixes.find(([prefix]) => name.startsWith(prefix))
  return match && { key: match[1], value: stripSpace(text.slice(separator + 1)) }
}

/** Returns the product token in the value of a User-agent line: `*` for all agents, '' if there is none. */
function agentOfLine(value: string): string {
  if (value[0] === anyAgent && (value.length === 1 || isSpace(value.charCodeAt(1)))) return anyAgent
  return productToken(value)
}

/** Adds a rule that allows `/x/` when `Allow: /x/index.html` is given, as the reference parser does. */
function pushDirectoryOfIndex(rules: Rule[], value: string): void {
  const slash = value.lastIndexOf('/')
  if (slash >= 0 && value.startsWith('/index.htm', slash)) {
    rules.push({ allow: true, pattern: compilePattern(`${value.slice(0, slash + 1)}$`) })
  }
}

function parseDelay(value: string): number | undefined {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return undefined
  const seconds = Number(value)
  return seconds <= maxCrawlDelaySeconds ? seconds : undefined
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function spaceIndex(text: string): number {
  for (let i = 0; i < text.length; i++) if (isSpace(text.charCodeAt(i))) return i
  return -1
}

/** Trims ASCII white space only: U+FEFF and U+00A0 are part of the value. */
function stripSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
