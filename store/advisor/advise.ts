import { microDollars } from '../../service/index.ts'
import { type CallEstimate, estimateCalls } from './call-estimate.ts'
import { refuseCredentials } from './credentials.ts'
import { allowsFreeUse, isFree } from './free-use.ts'
import {
  blockedGuide,
  callsLine,
  guide,
  type Matter,
  needsInputGuide,
  quotedGuide,
  readyGuide,
  slowerGuide,
} from './guide.ts'
import { type Market, methodsOf } from './market.ts'
import { recognizeNeeds } from './needs.ts'
import { keepsPace } from './pace.ts'
import { type QuoteRequest, type QuoteStatus, quoteLimits } from './quote.ts'
import { type WayToPay, waysToPay } from './ways-to-pay.ts'

export type { Market, RateLimits } from './market.ts'

/** The advice on a goal: its status, and a guide in markdown. */
export interface Advice {
  status: QuoteStatus
  /** Markdown. */
  guide: string
}

const help =
  'The service searches the web (as it was at any moment) and fetches pages as markdown. Say in English what to search for or which pages to fetch.'

/** Advises on a goal that can be reached neither free of charge nor with anything for sale. */
function adviseNothing(matter: Matter, estimate: CallEstimate, isSelling: boolean): Advice {
  const { request, needs } = matter
  const why = isSelling
    ? 'Nothing that is for sale here covers all services and modes of this goal.'
    : 'Nothing is for sale here: payments are off on this server.'
  const keys = request.humanAvailable === false ? '' : 'A human can ask the operator of this server for an API key.'
  return { status: 'unavailable', guide: guide('unavailable', matter, [why, callsLine(estimate, needs), keys]) }
}

/**
 * Advises on a goal that needs more calls a second than any way to call the server allows. Returns `undefined` if one way
 * allows them.
 */
function adviseSlower(
  { request, market, needs }: Matter,
  estimate: CallEstimate,
  ways: readonly WayToPay[],
): Advice | undefined {
  const { perSecond } = estimate
  const [fastest] = ways.toSorted((a, b) => b.perSecond - a.perSecond)
  if (perSecond === undefined || !fastest || keepsPace(fastest.perSecond, perSecond)) return undefined
  if (allowsFreeUse(request, needs, estimate, market.limits.keyless)) return undefined
  return { status: 'unsupported', guide: slowerGuide({ request, market, needs }, perSecond, fastest) }
}

/** Advises on a goal that costs money. The status is `blocked` or `quoted`. */
function advisePurchase(matter: Matter, estimate: CallEstimate, ways: readonly WayToPay[], cheapest: WayToPay): Advice {
  const { request } = matter
  const budget = request.budgetUsd === undefined ? undefined : microDollars(request.budgetUsd)
  if (budget === undefined || budget >= cheapest.total) {
    return { status: 'quoted', guide: quotedGuide(matter, estimate, ways, cheapest) }
  }
  const begun = request.budgetExclusive ? undefined : ways.find(({ price }) => price <= budget)
  return begun
    ? { status: 'quoted', guide: quotedGuide(matter, estimate, ways, begun) }
    : { status: 'blocked', guide: blockedGuide(matter, estimate, ways, cheapest, budget) }
}

/**
 * Advises how to reach a goal at the lowest price. The same request and market always give the same advice. `QuoteStatus`
 * defines each status. The goal is untrusted, so the guide shows at most the first characters of the goal, as a line of code.
 *
 * @throws ServiceError invalid_request - if the goal or the requirements contain credentials.
 */
export function advise(request: QuoteRequest, given: Market): Advice {
  refuseCredentials(request)
  const market = { ...given, baseUrl: given.baseUrl.replace(/\/+$/, '') }
  const needs = recognizeNeeds(request.goal, request.requirements)
  const matter: Matter = { request, market, needs }
  if (needs.services.length === 0) {
    const status = needs.beyond.length > 0 ? 'unsupported' : 'unknown'
    return { status, guide: guide(status, matter, [help]) }
  }
  const methods = methodsOf(market)
  if (request.payment !== undefined && methods.size > 0 && !methods.has(request.payment)) {
    const offered = [...methods].map(method => `\`${method}\``).join(', ')
    const sentence = `This server does not take \`${request.payment}\`. It takes: ${offered}.`
    return { status: 'unsupported', guide: guide('unsupported', matter, [sentence]) }
  }
  const estimate = estimateCalls(request)
  if (!estimate) return { status: 'needs_input', guide: needsInputGuide(matter, undefined) }
  const ways = methods.size > 0 ? waysToPay(request, needs, estimate, market) : []
  const slower = adviseSlower(matter, estimate, ways)
  if (slower) return slower
  if (estimate.calls > quoteLimits.calls) {
    return { status: 'needs_input', guide: needsInputGuide(matter, estimate.calls) }
  }
  if (isFree(request, needs, estimate, market.limits.keyless)) {
    return { status: 'ready', guide: readyGuide(matter, estimate) }
  }
  const fastEnough = ways.filter(({ perSecond }) => keepsPace(perSecond, estimate.perSecond))
  const [cheapest] = fastEnough
  if (!cheapest) {
    return allowsFreeUse(request, needs, estimate, market.limits.keyless)
      ? { status: 'ready', guide: readyGuide(matter, estimate) }
      : adviseNothing(matter, estimate, methods.size > 0)
  }
  return advisePurchase(
    { ...matter, tooSlow: ways.filter(way => !fastEnough.includes(way)) },
    estimate,
    fastEnough,
    cheapest,
  )
}
