import { CallsUnderWay } from '../fair-shares/calls-under-way.ts'
import type { ClientCall } from '../fair-shares/fair-queue.ts'
import type { ChargedService, Service } from './service.ts'

/** Use cases with a limit on the number of concurrent calls. */
export interface Limited<Cases> {
  service: Cases
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
export function limitWork(service: Service, most: number): Limited<Service> {
  const calls = new CallsUnderWay(most)
  return { service: limited(service, calls), underWay: () => calls.count }
}

/** Limits the number of concurrent calls of a storefront, like {@link limitWork}. */
export function limitCharged(service: ChargedService, most: number): Limited<ChargedService> {
  const calls = new CallsUnderWay(most)
  return { service: limitedCharged(service, calls), underWay: () => calls.count }
}

function within<Result>(
  calls: CallsUnderWay,
  call: ClientCall | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return calls.run(call?.client, work, call?.signal)
}

function limitedCharged(service: ChargedService, calls: CallsUnderWay): ChargedService {
  return {
    search: (request, call) => within(calls, call, signal => service.search(request, { ...call, signal })),
    checkSearch: (request, call) => service.checkSearch(request, call),
    fetch: (request, call) => within(calls, call, signal => service.fetch(request, { ...call, signal })),
    checkFetch: request => service.checkFetch(request),
    verify: (request, call) => within(calls, call, signal => service.verify(request, { ...call, signal })),
    checkVerify: request => service.checkVerify(request),
  }
}

function limited(service: Service, calls: CallsUnderWay): Service {
  return {
    ...limitedCharged(service, calls),
    suggest: (request, call) => within(calls, call, signal => service.suggest(request, { ...call, signal })),
    captures: (request, call) => within(calls, call, signal => service.captures(request, { ...call, signal })),
    fields: (request, call) => within(calls, call, signal => service.fields(request, { ...call, signal })),
    page: (request, call) => within(calls, call, signal => service.page(request, { ...call, signal })),
    history: (request, call) => within(calls, call, signal => service.history(request, { ...call, signal })),
    checkHistory: request => service.checkHistory(request),
    timeline: (url, call) => within(calls, call, signal => service.timeline(url, { ...call, signal })),
    pageAt: (url, at, call) => within(calls, call, signal => service.pageAt(url, at, { ...call, signal })),
    hasPages: () => service.hasPages(),
    hasFields: () => service.hasFields(),
    feedback: (request, caller) =>
      within(calls, { client: caller.organization }, () => service.feedback(request, caller)),
    takesFeedback: service.takesFeedback,
    sealedAt: service.sealedAt,
    sealed: at => limited(service.sealed(at), calls),
  }
}
