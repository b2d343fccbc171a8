import { compilePattern, normalizePath, type PathPattern } from '../politeness/robots-pattern.ts'
import { siteOf } from '../site.ts'
import { isTrap } from './traps.ts'

/** The parts of a corpus definition that say which URLs belong to its crawl. */
interface ScopeDefinition {
  /** URLs where the crawl starts. */
  seeds: readonly string[]
  scope: { type: 'host' | 'domain' | 'prefix'; include?: readonly string[]; exclude?: readonly string[] }
}

/** Decides which URLs belong to a crawl. */
export class Scope {
  readonly #type: ScopeDefinition['scope']['type']
  readonly #include: PathPattern[]
  readonly #exclude: PathPattern[]
  readonly #now: () => number
  readonly #hosts = new Set<string>()
  readonly #prefixes: string[]

  /** @param now - the clock, epoch ms. Calendar pages of the distant future are out of scope. */
  constructor({ seeds, scope }: ScopeDefinition, now: () => number) {
    this.#now = now
    this.#type = scope.type
    this.#include = compileAll(scope.include)
    this.#exclude = compileAll(scope.exclude)
    this.#prefixes = seeds.map(seed => directoryOf(new URL(seed)))
    for (const seed of seeds) this.addHost(new URL(seed))
  }

  /**
   * Adds the host of a URL to the scope, because a seed redirects to it. Returns false if it is in the scope already.
   */
  addHost(url: URL): boolean {
    const host = this.#hostKey(url)
    if (this.#hosts.has(host)) return false
    this.#hosts.add(host)
    return true
  }

  /** True if a URL belongs to the crawl. False for URLs of crawler traps. */
  includes(url: string): boolean {
    const parsed = URL.parse(url)
    if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return false
    if (!this.#hosts.has(this.#hostKey(parsed))) return false
    if (this.#type === 'prefix' && !this.#prefixes.some(prefix => startsWithDirectory(parsed, prefix))) return false
    return this.#fits(parsed.pathname + parsed.search) && !isTrap(parsed, this.#now())
  }

  #fits(pathAndQuery: string): boolean {
    if (this.#include.length === 0 && this.#exclude.length === 0) return true
    const path = normalizePath(pathAndQuery)
    if (this.#include.length > 0 && !this.#include.some(pattern => pattern.matches(path))) return false
    return !this.#exclude.some(pattern => pattern.matches(path))
  }

  #hostKey(url: URL): string {
    return this.#type === 'domain' ? siteOf(url) : url.host
  }
}

function compileAll(patterns: readonly string[] | undefined): PathPattern[] {
  // Patterns are matched byte by byte, so each UTF-8 byte of a pattern becomes one character.
  return (patterns ?? []).map(pattern => compilePattern(Buffer.from(pattern, 'utf8').toString('latin1')))
}

/**
 * Returns the host and path below which a seed's pages are: its folder if the seed is a file, otherwise the seed
 * itself.
 */
function directoryOf(url: URL): string {
  const slash = url.pathname.lastIndexOf('/')
  const path = url.pathname.includes('.', slash) ? url.pathname.slice(0, slash + 1) : url.pathname
  return url.host + path
}

function startsWithDirectory(url: URL, prefix: string): boolean {
  const address = url.host + url.pathname
  return (
    address.startsWith(prefix) &&
    (prefix.endsWith('/') || address.length === prefix.length || address[prefix.length] === '/')
  )
}
