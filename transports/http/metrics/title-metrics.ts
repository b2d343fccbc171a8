import { Counter, type Registry } from '@prometheus-io/client'
import { LRUCache } from 'lru-cache'

/** Number of names that are counted one by one. Callers choose their names, and could fill the memory without a bound. */
const TITLES_COUNTED = 100
/** The name that the calls of all other names are counted under. */
const OTHERS = '(other)'

/** Counts keyless calls by the name of the calling application: the 100 latest names one by one, all others together. */
export class TitleMetrics {
  #others = 0
  readonly #counts = new LRUCache<string, { calls: number }>({
    max: TITLES_COUNTED,
    dispose: ({ calls }, _title, reason) => {
      if (reason === 'evict') this.#others += calls
    },
  })

  constructor(registry: Registry) {
    const write = (counter: Counter<'service_title'>) => this.#write(counter)
    new Counter({
      name: 'asof_keyless_calls_total',
      help: `Keyless calls by X-Service-Title: the ${TITLES_COUNTED} latest names, and all others as ${OTHERS}.`,
      labelNames: ['service_title'],
      registers: [registry],
      collect() {
        write(this)
      },
    })
  }

  count(title: string): void {
    const known = this.#counts.get(title)
    if (known) known.calls += 1
    else this.#counts.set(title, { calls: 1 })
  }

  #write(counter: Counter<'service_title'>): void {
    counter.reset()
    for (const [title, { calls }] of this.#counts.entries()) counter.inc({ service_title: title }, calls)
    if (this.#others > 0) counter.inc({ service_title: OTHERS }, this.#others)
  }
}
