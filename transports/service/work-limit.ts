import { ServiceError } from './errors.ts'
import type { Service } from './service.ts'

/** The use cases with a bound on how many run at a time. */
export interface LimitedService {
  service: Service
  /** How many run now. */
  underWay(): number
}

/**
 * Refuses work beyond a bound rather than letting a queue grow: whoever is told so can go elsewhere or wait. Work counts
 * until it ends, whether or not its caller is still there.
 *
 * The service it returns throws ServiceError overloaded - as many run already.
 *
 * @param most - searches, fetches and judgements at a time.
 */
export function limitWork(service: Service, most: number): LimitedService {
  let underWay = 0
  async function counted<T>(work: () => Promise<T>): Promise<T> {
    if (underWay >= most) {
      throw new ServiceError('overloaded', 'Too many requests are being answered right now.', { retryAfterSeconds: 1 })
    }
    underWay += 1
    try {
      return await work()
    } finally {
      underWay -= 1
    }
  }
  return {
    service: {
      ...service,
      search: (request, call) => counted(() => service.search(request, call)),
      suggest: request => counted(() => service.suggest(request)),
      fetch: (request, options) => counted(() => service.fetch(request, options)),
      history: request => counted(() => service.history(request)),
      timeline: url => counted(() => service.timeline(url)),
      pageAt: (url, at) => counted(() => service.pageAt(url, at)),
      feedback: (request, caller) => counted(() => service.feedback(request, caller)),
    },
    underWay: () => underWay,
  }
}
