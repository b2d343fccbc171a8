import { z } from 'zod'
import { planAnswer } from '../../service/accounts/index.ts'
import {
  type CallService,
  type ChargedName,
  chargedCalls,
  isCharged,
  ServiceError,
  wireErrors,
} from '../../service/index.ts'
import {
  addWayIn,
  type CallPaths,
  callOf,
  named,
  type RouteError,
  refuseCaller,
  refuseWithoutKey,
  requestValidators,
  sendOnAccount,
  type Way,
  withUsage,
} from '../../transports/http/ways/index.ts'
import { type AgentsAdmission, admitAgent, agentOf, unknownAgent } from './agents.ts'

export const storefrontPaths: CallPaths<ChargedName> = {
  offers: isCharged,
  path: name => `/v1/storefront/${name}`,
}

/** The body of a 403, which lists the plans that cover the call. */
const planRequired = named(
  'PlanRequired',
  z.looseObject({
    error: z.literal('plan_required'),
    code: z.literal('plan_required'),
    message: z.string(),
    plans: z.array(planAnswer),
  }),
)

const noPlan: RouteError = { status: 403, error: 'plan_required', schema: planRequired }

/** Changes the status of an overloaded search to 529, as the storefront requires (spec part 7). */
async function answeringOverload<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (failure) {
    if (!(failure instanceof ServiceError) || failure.kind !== 'overloaded') throw failure
    const { retryAfterSeconds = 1, message } = failure
    throw new ServiceError('search_overloaded', message, { cause: failure, retryAfterSeconds })
  }
}

/**
 * Calls on a plan, under `/v1/storefront`. Refusals have an order of precedence: 401, 403 for a mode that needs a key, 403 for a missing
 * plan, 429, 400.
 */
export function planWay(service: CallService<ChargedName>, agents: AgentsAdmission): Way<ChargedName> {
  const { access, plans } = agents
  const rules = { weeksInFilters: true }
  const answering: CallService<ChargedName> = {
    check: (name, request, context) => service.check(name, request, context),
    answer: (name, request, context) => {
      const answer = service.answer(name, request, context)
      return chargedCalls[name].charged.kind === 'search' ? answeringOverload(answer) : answer
    },
  }
  return {
    ...storefrontPaths,
    described: {
      kind: 'on a plan',
      operationId: (name, _method, always) => `storefront_${name}${always}`,
      shared: { security: [{ AgentToken: [] }] },
      failures: ({ charged }) => (charged?.kind === 'search' ? ['unprocessable'] : []),
      ownFailures: ({ charged, needsKey }) => {
        const own: RouteError[] = needsKey ? [unknownAgent, noPlan, wireErrors.forbidden] : [unknownAgent, noPlan]
        own.push(wireErrors.allowance_unconfirmed)
        if (charged?.kind === 'search') own.push(wireErrors.search_overloaded)
        return own
      },
      withOwn: withUsage,
    },
    isPublic: false,
    answersHead: false,
    admit: app => {
      app.setValidatorCompiler(requestValidators(() => service, rules))
      addWayIn(
        app,
        request => admitAgent(request, agents),
        async ({ refusal, limit }, request) => {
          refuseCaller({ refusal })
          const agent = agentOf(request)
          // This check comes before the check for a plan, because the call would fail with any plan.
          refuseWithoutKey(request, 'forbidden')
          const name = callOf(request)
          if (isCharged(name)) await access.checkPlan(agent, chargedCalls[name].charged.kind, plans)
          refuseCaller({ limit })
        },
      )
    },
    answer: asked => sendOnAccount(asked, answering, access.agentAccount(agentOf(asked.request), plans)),
  }
}
