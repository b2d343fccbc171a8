import { getDomain } from 'tldts'
import type { Corpus } from './corpus.ts'

const maxUrlChars = 2048
const maxSegments = 32
const maxSegmentRepeats = 3

/** Which URLs belong to a crawl. */
export class Scope {
  readonly #type: Corpus['scope']['type']
  readonly #include: string[]
  readonly #exclude: string[]
  readonly #hosts = new Set<string>()
  readonly #prefixes: string[]

  constructor(corpus: Corpus) {
    this.#type = corpus.scope.type
    this.#include = corpus.scope.include ?? []
    this.#exclude = corpus.scope.exclude ?? []
    this.#prefixes = corpus.seeds.map(seed => directoryOf(new URL(seed)))
    for (const seed of corpus.seeds) this.addHost(new URL(seed))
  }

  /** Takes in the host where a seed turned out to live. Returns whether that is news. */
  addHost(url: URL): boolean {
    const host = this.#hostKey(url)
    if (this.#hosts.has(host)) return false
    this.#hosts.add(host)
    return true
  }

  /** Whether a URL may be crawled. URLs that only a crawler trap makes (too long, too deep, repeating) never may. */
  includes(url: string): boolean {
    const parsed = URL.parse(url)
    if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return false
    if (!this.#hosts.has(this.#hostKey(parsed))) return false
    if (this.#type === 'prefix' && !this.#prefixes.some(prefix => startsWithDirectory(parsed, prefix))) return false
    const path = parsed.pathname
    if (this.#include.length > 0 && !this.#include.some(prefix => path.startsWith(prefix))) return false
    if (this.#exclude.some(prefix => path.startsWith(prefix))) return false
    return !looksEndless(url, path)
  }

  #hostKey(url: URL): string {
    return this.#type === 'domain' ? siteOf(url) : url.host
  }
}

/** The registrable domain of a URL, or its host and port where there is none (an IP address, `localhost`). */
export function siteOf(url: URL): string {
  return getDomain(url.hostname, { allowPrivateDomains: true }) ?? url.host
}

/** A seed that names a file stands for its folder, any other for itself. */
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

function looksEndless(url: string, path: string): boolean {
  if (url.length > maxUrlChars) return true
  const segments = path.split('/')
  if (segments.length > maxSegments) return true
  const seen = new Map<string, number>()
  for (const segment of segments) {
    const times = (seen.get(segment) ?? 0) + 1
    if (segment !== '' && times > maxSegmentRepeats) return true
    seen.set(segment, times)
  }
  return false
}
