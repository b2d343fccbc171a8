import { CallsUnderWay } from '../fair-shares/calls-under-way.ts'
import type { ClientCall } from '../fair-shares/fair-queue.ts'
import type { CallName, CallService } from './calls.ts'
import type { Service } from './service.ts'

/** Calls with a limit on the number of concurrent ones. */
export interface Limited<Limitable> {
  service: Limitable
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
  const underWay = new CallsUnderWay(most)
  return { service: limitedService(service, underWay), underWay: () => underWay.count }
}

/** Limits the number of concurrent calls that another server answers, like {@link limitWork}. */
export function limitCalls<Name extends CallName>(calls: CallService<Name>, most: number): Limited<CallService<Name>> {
  const underWay = new CallsUnderWay(most)
  const service: CallService<Name> = {
    check: (name, request, context) => calls.check(name, request, context),
    answer: (name, request, context) =>
      within(underWay, context, limited => calls.answer(name, request, { ...context, ...limited })),
  }
  return { service, underWay: () => underWay.count }
}

/** Runs a call within the limit. @param work - gets the signal that ends the call, also to make room for another one. */
function within<Result>(
  underWay: CallsUnderWay,
  context: ClientCall = {},
  work: (limited: { signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  return underWay.run(context.client, signal => work({ signal }), context.signal)
}

function limitedService(service: Service, underWay: CallsUnderWay): Service {
  return {
    check: (name, request, context) => service.check(name, request, context),
    answer: (name, request, context) =>
      within(underWay, context, limited => service.answer(name, request, { ...context, ...limited })),
    timeline: (url, call) => within(underWay, call, limited => service.timeline(url, { ...call, ...limited })),
    pageAt: (url, at, call) => within(underWay, call, limited => service.pageAt(url, at, { ...call, ...limited })),
    hasPages: () => service.hasPages(),
    hasFields: () => service.hasFields(),
    now: () => service.now(),
    takesFeedback: service.takesFeedback,
    sealedAt: service.sealedAt,
    sealed: at => limitedService(service.sealed(at), underWay),
  }
}
