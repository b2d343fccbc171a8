import type { Access, CountByAddress } from '../../../service/accounts/index.ts'
import { type CallName, calls, type Service, type WireErrorName } from '../../../service/index.ts'
import { admitKeys, callerOf } from '../admission/keys.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { byKey } from '../schema/parameters.ts'
import { sendOnAccount, withUsage } from './account-answer.ts'
import type { CallPaths, Way } from './way.ts'

export const keyedPaths: CallPaths = {
  offers: (name): name is CallName => calls[name].callers === 'all' || calls[name].callers === 'keyed',
  path: name => `/v1/${name}`,
}

/** The refusals of charged calls under zero data retention, by their kind. */
const retentionRefusals = {
  search: ['zdr_wizards_unsupported', 'zdr_unsupported_profile'],
  fetch: ['zdr_prompt_unsupported'],
} as const satisfies Record<'search' | 'fetch', readonly WireErrorName[]>

/**
 * Calls with a key. Those that cost something are charged to the organization of the key; the others count only against its rate limit.
 * Refusals have an order of precedence: 401, 403, 429, 400, refusals by a retention policy, 402.
 *
 * @param byAddress - counts requests without a known key.
 */
export function keyedWay(service: Service, { access, byAddress }: { access: Access; byAddress: CountByAddress }): Way {
  return {
    ...keyedPaths,
    described: {
      kind: 'with an API key',
      operationId: (name, method) => `${name}${method}`,
      shared: { security: byKey },
      failures: ({ charged }) =>
        charged
          ? ['unauthorized', 'insufficient_credits', 'forbidden', ...retentionRefusals[charged.kind]]
          : ['unauthorized', 'forbidden'],
      withOwn: withUsage,
    },
    isPublic: false,
    answersHead: false,
    admit: app => admitKeys(app, access, byAddress),
    answer: asked =>
      sendOnAccount(asked, serviceFor(service, asked.request), access.organizationAccount(callerOf(asked.request))),
  }
}
