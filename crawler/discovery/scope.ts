import { compilePattern, normalizePath, type PathPattern } from '../politeness/robots-pattern.ts'
import { siteOf } from '../site.ts'
import { isTrap } from './traps.ts'

/** The parts of a corpus definition that say which URLs belong to its crawl. */
interface ScopeDefinition {
  /** URLs where the crawl starts. */
  seeds: readonly string[]
  scope: { type: 'host' | 'domain' | 'prefix'; include?: readonly string[]; exclude?: readonly string[] }
}

/** Decides by patterns of paths which URLs of a site belong to a crawl. */
export class PathRules {
  readonly #include: PathPattern[]
  readonly #exclude: PathPattern[]

  constructor({ include, exclude }: Pick<ScopeDefinition['scope'], 'include' | 'exclude'>) {
    this.#include = compileAll(include)
    this.#exclude = compileAll(exclude)
  }

  /** True if the path and query of a URL start with a pattern of `include`, if there are any, and with none of `exclude`. */
  fit({ pathname, search }: URL): boolean {
    if (this.#include.length === 0 && this.#exclude.length === 0) return true
    const path = normalizePath(pathname + search)
    if (this.#include.length > 0 && !this.#include.some(pattern => pattern.matches(path))) return false
    return !this.#exclude.some(pattern => pattern.matches(path))
  }
}

/** Decides which URLs belong to a crawl. */
export class Scope {
  readonly #type: ScopeDefinition['scope']['type']
  readonly #rules: PathRules
  readonly #now: () => number
  readonly #hosts = new Set<string>()
  readonly #prefixes: string[]

  /** @param now - the clock, epoch ms. Calendar pages of the distant future are out of scope. */
  constructor({ seeds, scope }: ScopeDefinition, now: () => number) {
    this.#now = now
    this.#type = scope.type
    this.#rules = new PathRules(scope)
    this.#prefixes = seeds.map(seed => new URL(seed).host + directoryOf(new URL(seed)))
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
    return this.#rules.fit(parsed) && !isTrap(parsed, this.#now())
  }

  #hostKey(url: URL): string {
    return this.#type === 'domain' ? siteOf(url) : url.host
  }
}

function compileAll(patterns: readonly string[] | undefined): PathPattern[] {
  // Patterns are matched byte by byte, so each UTF-8 byte of a pattern becomes one character.
  return (patterns ?? []).map(pattern => compilePattern(Buffer.from(pattern, 'utf8').toString('latin1')))
}

/** Returns the path below which a seed's pages are: its folder if the seed is a file, otherwise the seed itself. */
export function directoryOf({ pathname }: URL): string {
  const slash = pathname.lastIndexOf('/')
  return pathname.includes('.', slash) ? pathname.slice(0, slash + 1) : pathname
}

function startsWithDirectory(url: URL, prefix: string): boolean {
  const address = url.host + url.pathname
  return (
    address.startsWith(prefix) &&
    (prefix.endsWith('/') || address.length === prefix.length || address[prefix.length] === '/')
  )
}
