import { invalidOption } from '@asof/core'
import { productToken } from './product-token.ts'
import { compilePattern, normalizePath, type PathPattern } from './robots-pattern.ts'

/** RFC 9309, 2.5: at least 500 KiB must be read; what follows is ignored. */
export const MAX_ROBOTS_BYTES = 500 * 1024

/** The answers of one robots.txt file. */
export interface RobotsRules {
  /**
   * Whether a crawler may fetch a URL of the file's origin. `/robots.txt` itself always may be fetched.
   *
   * @param agent - product token (`asof`), or a user-agent string that starts with it (`asof/1.0 (+https://…)`). It is
   *   compared as a whole, digits included and without regard to case: the group of `crawler1` does not bind `crawler3`.
   * @param url - absolute; one that cannot be parsed is not allowed.
   */
  allowed(agent: string, url: string): boolean
  /** Seconds between requests that the site asks of an agent, 0 to 86,400, or `undefined` when it asks nothing. */
  crawlDelay(agent: string): number | undefined
  /** Absolute http(s) URLs of the sitemaps named, in file order without repeats; at most 1,000. */
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
// The reference parser of RFC 9309's authors cuts lines here; real files have been tuned to it.
const maxLineChars = 2083 * 8 - 1
const anyAgent = '*'
/**
 * Searches that matching one URL may take, all rules of an agent together: at worst some milliseconds. Of 700 real files
 * the one with most needs 641.
 */
const maxSearches = 1000

/**
 * Reads a robots.txt by RFC 9309, with the leniency of Google's reference parser towards common misspellings.
 * Any bytes give an answer: what is no rule is skipped, and a file without rules allows everything.
 *
 * @param bytes - at most {@link MAX_ROBOTS_BYTES} are read.
 * @param robotsUrl - where the file was found; relative sitemap URLs resolve against it.
 * @throws ASOF_INVALID_OPTION - `bytes` are no bytes, or `robotsUrl` is no string.
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
        // Only a rule ends the list of agents (RFC 9309, 2.1): an unknown line or Crawl-delay does not.
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
      // Several groups for one agent count as one (RFC 9309, 2.2.1); `*` counts only where no group names the agent.
      let matching = token === '' ? [] : groups.filter(candidate => candidate.agents.has(token))
      if (matching.length === 0) matching = groups.filter(candidate => candidate.agents.has(anyAgent))
      const rules = matching.flatMap(candidate => candidate.rules)
      // Longest pattern first, Allow before Disallow among equals: the first match is the verdict (RFC 9309, 2.2.2).
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
 * Rules that together take no more than {@link maxSearches}. The longest rules stay as they are. Of the rest a Disallow
 * counts for all paths that begin as its pattern does, and an Allow does not count: what is fetched is never too much.
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

/** Path and query as sent, with a bare final `?`, which `URL.search` hides and `Disallow: /*?` is about. */
function pathAndQuery(url: URL): string {
  const start = url.href.indexOf('/', url.protocol.length + 2)
  const end = url.href.indexOf('#')
  return start < 0 ? '/' : url.href.slice(start, end < 0 ? undefined : end)
}

/** Yields lines as strings of bytes (latin1), so that escapes of non-ASCII paths come out byte for byte. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const cut = Math.min(bytes.length, MAX_ROBOTS_BYTES)
  // A byte order mark, whole or begun, is no part of the first line.
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
    // A forgotten colon is forgiven when the line is exactly two words.
    separator = spaceIndex(text)
    if (separator < 0 || spaceIndex(stripSpace(text.slice(separator))) >= 0) return undefined
  }
  const name = stripSpace(text.slice(0, separator)).toLowerCase()
  const known = keyPrefixes.find(([prefix]) => name.startsWith(prefix))
  return known && { key: known[1], value: stripSpace(text.slice(separator + 1)) }
}

/** The product token that a User-agent line names, `*` for everyone, or '' for a value that names nobody. */
function agentOfLine(value: string): string {
  if (value[0] === anyAgent && (value.length === 1 || isSpace(value.charCodeAt(1)))) return anyAgent
  return productToken(value)
}

/** `Allow: /x/index.html` also allows `/x/` itself: the reference parser's reading, and what such files mean. */
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

/** ASCII white space only: U+FEFF and U+00A0 belong to the value. */
function stripSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
