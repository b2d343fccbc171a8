import { invalidOption } from '@asof/extract/errors'
import { productToken } from './product-token.ts'
import { compilePattern, normalizePath, type PathPattern } from './robots-pattern.ts'

/** Maximum number of bytes of a robots.txt that are read. RFC 9309 (2.5) requires at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 500 * 1024

/** The rules of one robots.txt file. */
export interface RobotsRules {
  /**
   * Returns true if a crawler may fetch a URL of the file's origin. `/robots.txt` itself may always be fetched.
   *
   * @param agent - a product token (`asof`), or a user agent that begins with one (`asof/1.0 (+https://…)`). Whole
   *   tokens are compared, with digits, ignoring case: the rules for `crawler1` do not apply to `crawler3`.
   * @param url - absolute. A URL that cannot be parsed is not allowed.
   */
  allowed(agent: string, url: string): boolean
  /** Returns the `Crawl-delay` for an agent, 0 to 86,400 seconds; undefined if there is none. */
  crawlDelay(agent: string): number | undefined
  /**
   * Returns true if the rules for an agent have more wildcards than are compared. Then shorter rules with wildcards forbid more than
   * they say.
   */
  isShortened(agent: string): boolean
  /** The sitemaps that the file names: absolute http(s) URLs in file order, each once, at most 1,000. */
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

const MAX_SITEMAPS = 1000
const MAX_CRAWL_DELAY_SECONDS = 86_400
// Maximum length of a line. The reference parser by the authors of the RFC cuts lines here, and some real files depend
// on it.
const MAX_LINE_CHARS = 2083 * 8 - 1
const ANY_AGENT = '*'
/**
 * Maximum number of string searches for one URL, over all rules of an agent. That takes a few milliseconds at most. Of
 * 700 real files, the largest needs 641.
 */
const MAX_SEARCHES = 1000

/** Says why pages are not fetched whose robots.txt has too many wildcards. @param origin - of the file. */
export function tooManyWildcards(origin: string): string {
  return `${origin}/robots.txt has more than ${MAX_SEARCHES.toLocaleString('en')} wildcards, so each of its shorter rules with one forbids every path that begins like it`
}

/**
 * Parses a robots.txt by RFC 9309. Also accepts the common misspellings that Google's reference parser accepts. Any
 * bytes are valid input. Lines that are not rules are skipped, and a file without rules allows everything.
 *
 * @param bytes - the file, of which at most 500 KiB are read (RFC 9309, 2.5).
 * @param robotsUrl - the URL of the file, against which relative sitemap URLs are resolved.
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
        // Only a rule ends a group's list of agents (RFC 9309, 2.1), not an unknown line or a Crawl-delay.
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
        if (sitemaps.size < MAX_SITEMAPS) {
          const url = URL.parse(Buffer.from(value, 'latin1').toString('utf8'), robotsUrl)
          if (url && (url.protocol === 'http:' || url.protocol === 'https:')) sitemaps.add(url.href)
        }
        break
    }
  }

  const byAgent = new Map<string, { rules: Rule[]; isShortened: boolean; crawlDelay: number | undefined }>()
  const rulesFor = (agent: string) => {
    const token = productToken(agent)
    let found = byAgent.get(token)
    if (!found) {
      // All groups for an agent apply together (RFC 9309, 2.2.1). The groups for `*` apply only if there are none for
      // the agent.
      let matching = token === '' ? [] : groups.filter(candidate => candidate.agents.has(token))
      if (matching.length === 0) matching = groups.filter(candidate => candidate.agents.has(ANY_AGENT))
      const rules = matching.flatMap(candidate => candidate.rules)
      // The first match decides. So longer rules come first, and of equally long ones Allow (RFC 9309, 2.2.2).
      rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))
      found = {
        rules: withinBudget(rules),
        isShortened: rules.reduce((sum, { pattern }) => sum + pattern.searches, 0) > MAX_SEARCHES,
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
    isShortened: agent => rulesFor(agent).isShortened,
    sitemaps: [...sitemaps],
  }
}

/**
 * Shortens a list of rules to at most {@link MAX_SEARCHES} string searches. Keeps the longest rules. For a shorter
 * Disallow, forbids all paths that begin like its pattern; drops a shorter Allow. So a forbidden URL is never fetched.
 */
function withinBudget(rules: readonly Rule[]): Rule[] {
  let left = MAX_SEARCHES
  return rules.flatMap(rule => {
    const { length, searches, head } = rule.pattern
    left -= searches
    if (searches === 0 || left >= 0) return rule
    return rule.allow
      ? []
      : { allow: false, pattern: { length, searches: 0, head, matches: path => path.startsWith(head) } }
  })
}

/**
 * Returns path and query as they are sent. A final `?` without a query is kept, because `Disallow: /*?` matches it.
 * `URL.search` leaves it out.
 */
function pathAndQuery(url: URL): string {
  const start = url.href.indexOf('/', url.protocol.length + 2)
  const end = url.href.indexOf('#')
  return start < 0 ? '/' : url.href.slice(start, end < 0 ? undefined : end)
}

/**
 * Yields lines as strings with one character for each byte, so that the bytes of non-ASCII characters can be escaped.
 */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const cut = Math.min(bytes.length, MAX_ROBOTS_BYTES)
  // Skips a byte order mark, even an incomplete one.
  let start = 0
  for (const byte of [0xef, 0xbb, 0xbf]) if (bytes[start] === byte) start++
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, cut - start)).toString('latin1')
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 10
    if (code !== 10 && code !== 13) continue
    if (i > from) yield text.slice(from, Math.min(i, from + MAX_LINE_CHARS))
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
    // Without a colon, a line must consist of two words: the field and its value.
    separator = spaceIndex(text)
    if (separator < 0 || spaceIndex(stripSpace(text.slice(separator))) >= 0) return undefined
  }
  const name = stripSpace(text.slice(0, separator)).toLowerCase()
  const match = keyPrefixes.find(([prefix]) => name.startsWith(prefix))
  return match && { key: match[1], value: stripSpace(text.slice(separator + 1)) }
}

/** Returns the product token in a User-agent line; `*` for all agents, '' if there is none. */
function agentOfLine(value: string): string {
  if (value[0] === ANY_AGENT && (value.length === 1 || isSpace(value.charCodeAt(1)))) return ANY_AGENT
  return productToken(value)
}

/** Adds a rule for `/x/` to a rule for `/x/index.html`, as the reference parser does. */
function pushDirectoryOfIndex(rules: Rule[], value: string): void {
  const slash = value.lastIndexOf('/')
  if (slash >= 0 && value.startsWith('/index.htm', slash)) {
    rules.push({ allow: true, pattern: compilePattern(`${value.slice(0, slash + 1)}$`) })
  }
}

function parseDelay(value: string): number | undefined {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return undefined
  const seconds = Number(value)
  return seconds <= MAX_CRAWL_DELAY_SECONDS ? seconds : undefined
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function spaceIndex(text: string): number {
  for (let i = 0; i < text.length; i++) if (isSpace(text.charCodeAt(i))) return i
  return -1
}

/** Trims only ASCII white space, because U+FEFF and U+00A0 are part of a value. */
function stripSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
