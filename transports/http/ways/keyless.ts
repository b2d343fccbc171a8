import { type CallName, calls, type Service } from '../../../service/index.ts'
import { addWayIn, admitEverybody, type CountRequest, refuseCaller, refuseWithoutKey } from '../admission/way-in.ts'
import { requireAppIdentifier } from '../request/app-identifier.ts'
import { clientCall, sendAnswer } from '../request/service-call.ts'
import type { CallPaths, Way } from './way.ts'

function isPublic(name: CallName): boolean {
  return calls[name].callers === 'all'
}

export const keylessPaths: CallPaths = {
  offers: (name): name is CallName => isPublic(name) || calls[name].callers === 'keyless',
  path: name => (isPublic(name) ? `/v1/${name}/public` : `/v1/${name}`),
}

export const browsingPaths: CallPaths = {
  offers: (name): name is CallName => calls[name].callers === 'unnamed',
  path: name => `/v1/${name}`,
}

/** Answers calls for free. */
function freeOfCharge(service: Service): Way['answer'] {
  return async ({ name, asked, request, reply }) =>
    sendAnswer(reply, await service.answer(name, asked, clientCall(request, reply)))
}

/**
 * Calls without a key. They are free, within the rate limit of an address or session. Refusals have an order of precedence: 401 for a
 * mode that needs a key, 429, 400 for a missing name of the application, 400 for parameters.
 */
export function keylessWay(service: Service, count: CountRequest): Way {
  return {
    ...keylessPaths,
    described: {
      kind: 'keyless',
      operationId: (name, method) => (isPublic(name) ? `${name}_public${method}` : `${name}${method}`),
      shared: { security: [], sharedParameters: ['ServiceTitle', 'ServiceTitleQuery'] },
      failures: ({ needsKey }) => (needsKey ? ['missing_app_identifier', 'unauthorized'] : ['missing_app_identifier']),
    },
    isPublic: true,
    answersHead: true,
    admit: app =>
      addWayIn(
        app,
        async request => ({ limit: await count(request) }),
        (admission, request) => {
          refuseWithoutKey(request, 'unauthorized')
          refuseCaller(admission)
          requireAppIdentifier(request)
        },
      ),
    answer: freeOfCharge(service),
  }
}

/**
 * Calls that need no name of the application either, because they say little of a page, and browsers make them while a person types or
 * looks.
 */
export function browsingWay(service: Service, count: CountRequest): Way {
  return {
    ...browsingPaths,
    described: {
      kind: 'without a name',
      operationId: (name, method) => `${name}${method}`,
      shared: { security: [] },
      failures: () => [],
    },
    isPublic: true,
    answersHead: true,
    admit: app => admitEverybody(app, count),
    answer: freeOfCharge(service),
  }
}
