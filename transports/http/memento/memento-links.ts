import type { PageVersion, Timeline } from '@asof/core'
import { mementoPath } from '../../../service/index.ts'
import { httpDate, stampOf } from './memento-time.ts'

/** One link of a `Link` header or of a TimeMap. */
interface Link {
  target: string
  /** Relation types, separated by spaces. */
  rel: string
  /** Further parameters. */
  parameters?: Record<string, string>
}

type Version = Pick<PageVersion, 'kind' | 'at'>

export const LINK_FORMAT = 'application/link-format'

/** Maximum number of mementos in one TimeMap. Further mementos are in the next TimeMap. */
const MAP_MEMENTOS = 1_000
/** Maximum length of a `Link` header. Clients accept headers of at least 8 KiB. */
const MAX_HEADER_CHARS = 8_000

function linkText({ target, rel, parameters = {} }: Link): string {
  const rest = Object.entries(parameters).map(([name, value]) => `; ${name}="${value}"`)
  return `<${target}>; rel="${rel}"${rest.join('')}`
}

/** The URIs of one page in the Memento protocol, and the links between them (RFC 7089). */
export class MementoLinks {
  readonly #base: string
  readonly #url: string
  readonly #versions: readonly Version[]

  /** @param base - URL of the server, without a trailing slash. */
  constructor(base: string, { url, versions }: Timeline) {
    this.#base = base
    this.#url = url
    this.#versions = versions
  }

  /** Returns the URI of the memento (URI-M) of the version that began at an instant. */
  memento(at: number): string {
    return `${this.#base}${mementoPath(this.#url, at)}`
  }

  #timeMap(from?: number): string {
    return `${this.#base}/timemap/link/${from === undefined ? '' : `${stampOf(from)}/`}${this.#url}`
  }

  get #original(): Link {
    return { target: this.#url, rel: 'original' }
  }

  get #timeGate(): Link {
    return { target: `${this.#base}/timegate/${this.#url}`, rel: 'timegate' }
  }

  #mementoLink({ at }: Version, rels: readonly string[]): Link {
    return { target: this.memento(at), rel: [...rels, 'memento'].join(' '), parameters: { datetime: httpDate(at) } }
  }

  /**
   * Returns the `Link` header of an answer about one version. For a very long URL the header has only the required links.
   *
   * @param index - index of the version.
   */
  header(index: number): string {
    const rels = new Map<number, string[]>([[index, []]])
    const places: [string, number][] = [
      ['first', 0],
      ['prev', index - 1],
      ['next', index + 1],
      ['last', this.#versions.length - 1],
    ]
    for (const [rel, place] of places) if (this.#versions[place]) rels.set(place, [...(rels.get(place) ?? []), rel])
    const timeMap = { target: this.#timeMap(), rel: 'timemap', parameters: { type: LINK_FORMAT } }
    const required = [this.#original, this.#timeGate, timeMap].map(linkText)
    const mementos = [...rels]
      .sort(([a], [b]) => a - b)
      .flatMap(([place, names]) => {
        const version = this.#versions[place]
        return version ? [linkText(this.#mementoLink(version, names))] : []
      })
    const whole = [...required, ...mementos].join(', ')
    return whole.length <= MAX_HEADER_CHARS ? whole : required.join(', ')
  }

  /**
   * Returns the body of a TimeMap (RFC 7089, 5): up to 1,000 versions from an instant, and links to the previous and the next
   * TimeMap.
   *
   * @param from - epoch ms. Default: the first version.
   */
  timeMapBody(from: number = Number.NEGATIVE_INFINITY): string {
    const versions = this.#versions
    const found = versions.findIndex(({ at }) => at >= from)
    const start = found === -1 ? versions.length : found
    const end = Math.min(start + MAP_MEMENTOS, versions.length)
    const links = [this.#original, this.#timeGate, this.#mapLink('self', start, end)]
    if (start > 0) links.push(this.#mapLink('timemap', Math.max(0, start - MAP_MEMENTOS), start))
    if (end < versions.length) links.push(this.#mapLink('timemap', end, Math.min(end + MAP_MEMENTOS, versions.length)))
    for (const [offset, version] of versions.slice(start, end).entries()) {
      const index = start + offset
      const rels: string[] = []
      if (index === 0) rels.push('first')
      if (index === versions.length - 1) rels.push('last')
      links.push(this.#mementoLink(version, rels))
    }
    return `${links.map(linkText).join(',\n')}\n`
  }

  #mapLink(rel: string, start: number, end: number): Link {
    const [first, last] = [this.#versions[start], this.#versions[end - 1]]
    const range: Record<string, string> = first && last ? { from: httpDate(first.at), until: httpDate(last.at) } : {}
    return {
      target: this.#timeMap(start === 0 ? undefined : first?.at),
      rel,
      parameters: { type: LINK_FORMAT, ...range },
    }
  }
}
