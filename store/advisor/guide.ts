import { ceilDivide, grouped, microDollars, usd } from '../../service/index.ts'
import type { CallEstimate } from './call-estimate.ts'
import { allowsFreeUse, freeHours } from './free-use.ts'
import type { Market } from './market.ts'
import type { Needs } from './needs.ts'
import { keylessCalls, nextCalls } from './next-calls.ts'
import { paceText } from './pace.ts'
import { type QuoteRequest, type QuoteStatus, quoteLimits } from './quote.ts'
import { shownGoal } from './shown-goal.ts'
import type { WayToPay } from './ways-to-pay.ts'

/** The data from which a guide is written. */
export interface Matter {
  request: QuoteRequest
  market: Market
  needs: Needs
  /** The ways to pay that do not allow the pace of the goal. Default: none. */
  tooSlow?: readonly WayToPay[]
}

/** Writes a guide: the status, the goal of the request, and the paragraphs of the advice. */
export function guide(status: QuoteStatus, { request, needs }: Matter, paragraphs: readonly string[]): string {
  const goal = shownGoal(request.goal)
  const beyond = needs.beyond.length === 0 ? '' : `Not part of this service: ${needs.beyond.join('; ')}.`
  return [`# Advice: ${status}`, goal && `Goal as received: ${goal}`, ...paragraphs, beyond]
    .filter(paragraph => paragraph !== '')
    .join('\n\n')
    .concat('\n')
}

function shell(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}

/** Returns the sentence that states the number of calls. */
export function callsLine({ calls, basis }: CallEstimate, { services }: Needs): string {
  return `Number of calls: ${grouped(calls)} of ${services.join(' and ')}. Source: ${basis}.`
}

function wayName({ kind, plan }: WayToPay): string {
  if (plan) return `plan \`${plan.id}\``
  return kind === 'x402' ? 'x402 for each call' : 'credits of an API key'
}

function purchasesText({ kind, plan, purchases, price }: WayToPay): string {
  if (kind === 'x402') return `${grouped(purchases)} calls of ${usd(price)}`
  const unit = plan?.kind === 'subscription' ? 'period' : plan ? 'pack' : '1,000 credits'
  return kind === 'credits'
    ? `${grouped(purchases)} × ${unit} of ${usd(price)}`
    : `${grouped(purchases)} ${unit}${purchases === 1n ? '' : 's'} of ${usd(price)}`
}

/** Returns a table that compares the ways to pay. */
export function comparison(ways: readonly WayToPay[]): string {
  const rows = ways.map(way => `| ${wayName(way)} | ${purchasesText(way)} | ${usd(way.total)} |`)
  return ['| way to pay | purchases | total |', '|---|---|---|', ...rows].join('\n')
}

function reason(best: WayToPay, ways: readonly WayToPay[]): string {
  const cheapest = ways[0]
  if (cheapest && best.total > cheapest.total) {
    return `It is the cheapest way whose first purchase your budget covers; ${wayName(cheapest)} costs ${usd(cheapest.total)} in all, but ${usd(cheapest.price)} at once.`
  }
  const others = ways.filter(way => way !== best)
  const [next] = others
  if (!next) return 'It is the only way to pay that covers this goal.'
  const equal = others.filter(way => way.total === best.total)
  if (equal.length > 0) {
    const preferred = {
      plan: 'you can buy it yourself with few payments',
      credits: 'a human can get the key',
      x402: 'it needs no registration',
    }
    return `It costs as little as ${equal.map(wayName).join(' and ')}, and ${preferred[best.kind]}.`
  }
  return `It costs ${usd(next.total - best.total)} less than the next cheapest way, ${wayName(next)}.`
}

function budgetLine({ budgetUsd }: QuoteRequest, { calls }: CallEstimate, best: WayToPay): string {
  if (budgetUsd === undefined) return ''
  const budget = microDollars(budgetUsd)
  if (budget >= best.total) return `Your budget of ${usd(budget)} covers it; ${usd(budget - best.total)} remain.`
  const covered = (budget / best.price) * best.callsEach
  return `Your budget of ${usd(budget)} covers ${grouped(covered < calls ? covered : calls)} calls; ${usd(best.total - budget)} are missing for all of them.`
}

function reviewLine({ reviewAfterCalls }: QuoteRequest, { calls }: CallEstimate, best: WayToPay): string {
  if (reviewAfterCalls === undefined || BigInt(reviewAfterCalls) >= calls) return ''
  const purchases = ceilDivide(BigInt(reviewAfterCalls), best.callsEach)
  return `Review after ${grouped(reviewAfterCalls)} calls: until then you need to spend ${usd(purchases * best.price)}.`
}

function identityLine({ humanAvailable }: QuoteRequest): string {
  if (humanAvailable === false) {
    return 'No human is needed: register a new anonymous identity, which is one free call.'
  }
  return humanAvailable === true ? 'A human can ask the operator of this server for an API key with credits.' : ''
}

/** Returns the sentence about calls without a key, the alternative to paying. */
function freeLine({ request, market, needs }: Matter, estimate: CallEstimate): string {
  const { keyless } = market.limits
  if (!allowsFreeUse(request, needs, estimate, keyless)) return ''
  return `Free alternative: keyless use allows ${grouped(keyless.perHour)} calls an hour for each address, shared with its other callers. These calls take at least ${grouped(freeHours(estimate.calls, keyless))} hours.`
}

/** Returns the sentence that lists the ways to pay that are too slow, with the pace that each allows. */
function slowLine({ tooSlow = [] }: Matter, { perSecond = 0 }: CallEstimate): string {
  if (tooSlow.length === 0) return ''
  const names = tooSlow.map(way => `${wayName(way)} (${grouped(way.perSecond)})`).join(', ')
  return `Too slow for ${paceText(perSecond)} calls a second: ${names}.`
}

/** Returns the guide for the status `quoted`. */
export function quotedGuide(matter: Matter, estimate: CallEstimate, ways: readonly WayToPay[], best: WayToPay): string {
  const { request, market, needs } = matter
  return guide('quoted', matter, [
    `**Recommendation:** ${wayName(best)}, ${purchasesText(best)}, **${usd(best.total)}** in all. ${reason(best, ways)}`,
    callsLine(estimate, needs),
    comparison(ways),
    slowLine(matter, estimate),
    budgetLine(request, estimate, best),
    reviewLine(request, estimate, best),
    identityLine(request),
    freeLine(matter, estimate),
    '## Next calls',
    shell(nextCalls(market.baseUrl, needs.services, best)),
  ])
}

/** Returns the guide for the status `ready`. */
export function readyGuide(matter: Matter, estimate: CallEstimate): string {
  const { keyless } = matter.market.limits
  const hours = freeHours(estimate.calls, keyless)
  const time = hours === 1n ? 'so one hour is enough' : `so the calls take at least ${grouped(hours)} hours`
  return guide('ready', matter, [
    `**Recommendation:** buy nothing. Keyless use is free and allows ${grouped(keyless.perHour)} calls an hour and ${grouped(keyless.perSecond)} a second for each address, ${time}. Other callers of the same address share this allowance.`,
    callsLine(estimate, matter.needs),
    identityLine(matter.request),
    '## Next calls',
    shell(keylessCalls(matter.market.baseUrl, matter.needs.services)),
  ])
}

/** Returns the guide for the status `blocked`. */
export function blockedGuide(
  matter: Matter,
  estimate: CallEstimate,
  ways: readonly WayToPay[],
  cheapest: WayToPay,
  budget: bigint,
): string {
  const rule = matter.request.budgetExclusive
    ? 'The budget must cover the whole goal.'
    : 'The budget does not cover the first purchase of any way to pay.'
  return guide('blocked', matter, [
    `The budget of ${usd(budget)} is too small: the cheapest way to pay, ${wayName(cheapest)}, costs ${usd(cheapest.total)} in all. **${usd(cheapest.total - budget)}** are missing. ${rule}`,
    callsLine(estimate, matter.needs),
    comparison(ways),
    slowLine(matter, estimate),
    'Raise `budgetUsd`, or lower `quantity`.',
    freeLine(matter, estimate),
  ])
}

/** Returns the guide for the status `unsupported`, for a goal that is too fast for every way to call the server. */
export function slowerGuide(matter: Matter, perSecond: number, fastest: WayToPay): string {
  return guide('unsupported', matter, [
    `This goal asks for ${paceText(perSecond)} calls a second. The fastest way to call this server, ${wayName(fastest)}, allows ${grouped(fastest.perSecond)}.`,
    'Spread the calls over a longer time.',
  ])
}

/** Returns the guide for the status `needs_input`. @param calls - the number in the goal, if it is above the limit. */
export function needsInputGuide(matter: Matter, calls: bigint | undefined): string {
  const limit = grouped(quoteLimits.calls)
  return guide('needs_input', matter, [
    calls === undefined
      ? `The number of calls is missing. Repeat the request with \`quantity\` (1 to ${limit}), or write it into the goal, such as "500 searches a day for 2 weeks".`
      : `The goal needs ${grouped(calls)} calls, and one quote covers at most ${limit}. Repeat the request with a \`quantity\` up to this limit.`,
  ])
}
