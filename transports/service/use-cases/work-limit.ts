import { ServiceError } from '../contract/errors.ts'
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
 * The service it returns throws ServiceError overloaded - as many run already, or half as many for the same client.
 *
 * @param most - searches, fetches and judgements at a time.
 */
export function limitWork(service: Service, most: number): LimitedService {
  const mostOfClient = Math.max(1, Math.floor(most / 2))
  const underWayOf = new Map<string, number>()
  let underWay = 0
  async function counted<T>(client: string | undefined, work: () => Promise<T>): Promise<T> {
    const own = client === undefined ? 0 : (underWayOf.get(client) ?? 0)
    if (underWay >= most || own >= mostOfClient) {
      throw new ServiceError('overloaded', 'Too many requests are being answered right now.', { retryAfterSeconds: 1 })
    }
    underWay += 1
    if (client !== undefined) underWayOf.set(client, own + 1)
    try {
      return await work()
    } finally {
      underWay -= 1
      if (client !== undefined) leave(client)
    }
  }
  function leave(client: string): void {
    const left = underWayOf.get(client)! - 1
    if (left === 0) underWayOf.delete(client)
    else underWayOf.set(client, left)
  }
  return {
    service: {
      ...service,
      search: (request, call) => counted(call?.client, () => service.search(request, call)),
      suggest: (request, call) => counted(call?.client, () => service.suggest(request, call)),
      fetch: (request, options) => counted(options?.client, () => service.fetch(request, options)),
      history: (request, call) => counted(call?.client, () => service.history(request, call)),
      timeline: (url, call) => counted(call?.client, () => service.timeline(url, call)),
      pageAt: (url, at, call) => counted(call?.client, () => service.pageAt(url, at, call)),
      feedback: (request, caller) => counted(caller.organisation, () => service.feedback(request, caller)),
    },
    underWay: () => underWay,
  }
}
