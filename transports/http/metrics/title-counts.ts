import { LRUCache } from 'lru-cache'

/** Number of names that are counted one by one. Callers choose their names, and could fill the memory without this limit. */
const TITLES_COUNTED = 100
/** The name under which calls with all other names are counted. */
const OTHERS = '(other)'

/** Counts keyless calls by the name of the calling application: the 100 latest names one by one, all others together. */
export class TitleCounts {
  static readonly help =
    `Keyless calls by X-Service-Title: the ${TITLES_COUNTED} latest names, and all others as ${OTHERS}.`
  #others = 0
  readonly #counts = new LRUCache<string, { calls: number }>({
    max: TITLES_COUNTED,
    dispose: ({ calls }, _title, reason) => {
      if (reason === 'evict') this.#others += calls
    },
  })

  count(title: string): void {
    const known = this.#counts.get(title)
    if (known) known.calls += 1
    else this.#counts.set(title, { calls: 1 })
  }

  get figures(): { labels: { service_title: string }; value: number }[] {
    const counts = [...this.#counts.entries()].map(([title, { calls }]) => ({ title, calls }))
    if (this.#others > 0) counts.push({ title: OTHERS, calls: this.#others })
    return counts.map(({ title, calls }) => ({ labels: { service_title: title }, value: calls }))
  }
}
