import { CallsUnderWay } from '../fair-shares/calls-under-way.ts'
import type { ClientCall } from '../fair-shares/fair-queue.ts'
import type { Service } from './service.ts'

/** The use cases with a limit on the number of concurrent calls. */
export interface LimitedService {
  service: Service
  /** The number of calls that are running or waiting. */
  underWay(): number
}

/**
 * Limits the number of concurrent calls of a service. A call beyond the limit takes the place of the newest call of the client
 * that has the most calls, see {@link CallsUnderWay}. A call counts until it ends, even if its caller has disconnected.
 *
 * The returned service throws ServiceError overloaded for a call that is refused.
 *
 * @param most - maximum number of concurrent calls of all operations together. One client may have half of them.
 */
export function limitWork(service: Service, most: number): LimitedService {
  const calls = new CallsUnderWay(most)
  return { service: limited(service, calls), underWay: () => calls.count }
}

function limited(service: Service, calls: CallsUnderWay): Service {
  const within = <Result>(call: ClientCall | undefined, work: (signal: AbortSignal) => Promise<Result>) =>
    calls.run(call?.client, work, call?.signal)
  return {
    ...service,
    search: (request, call) => within(call, signal => service.search(request, { ...call, signal })),
    suggest: (request, call) => within(call, signal => service.suggest(request, { ...call, signal })),
    captures: (request, call) => within(call, signal => service.captures(request, { ...call, signal })),
    fields: (request, call) => within(call, signal => service.fields(request, { ...call, signal })),
    page: (request, call) => within(call, signal => service.page(request, { ...call, signal })),
    fetch: (request, call) => within(call, signal => service.fetch(request, { ...call, signal })),
    history: (request, call) => within(call, signal => service.history(request, { ...call, signal })),
    verify: (request, call) => within(call, signal => service.verify(request, { ...call, signal })),
    timeline: (url, call) => within(call, signal => service.timeline(url, { ...call, signal })),
    pageAt: (url, at, call) => within(call, signal => service.pageAt(url, at, { ...call, signal })),
    feedback: (request, caller) => within({ client: caller.organization }, () => service.feedback(request, caller)),
    sealed: at => limited(service.sealed(at), calls),
  }
}
