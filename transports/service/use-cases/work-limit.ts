import { ServiceError } from '../contract/errors.ts'
import type { Service } from './service.ts'

/** The use cases with a limit on the number of concurrent calls. */
export interface LimitedService {
  service: Service
  /** The number of calls that are running. */
  underWay(): number
}

/**
 * Limits the number of concurrent calls of a service. A call beyond the limit is rejected instead of queued, so that its
 * caller can retry elsewhere. A call counts until it ends, even if its caller has disconnected.
 *
 * The returned service throws ServiceError overloaded if `most` calls are running, or half as many for the same client.
 *
 * @param most - maximum number of concurrent calls of all operations together.
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
    const left = (underWayOf.get(client) ?? 1) - 1
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
