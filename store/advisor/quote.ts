import { z } from 'zod'
import { firstCodePoints } from '../../service/index.ts'

/** Limits of a quote, spec part 8. Lengths are numbers of Unicode code points. */
export const quoteLimits = { goalChars: 2_000, requirementsChars: 300, calls: 1_000_000 } as const

/** Returns a text of 1 to `maxChars` characters. White space at its ends counts, and is not removed. */
function text(maxChars: number) {
  return z
    .string()
    .min(1, { error: 'must not be empty' })
    .refine(value => firstCodePoints(value, maxChars).length === value.length, {
      error: `at most ${maxChars} characters`,
    })
    .meta({ maxLength: maxChars })
}

const calls = () => z.int().min(1).max(quoteLimits.calls)

/** The request of a quote, spec 2.9. */
export const quoteRequest = z.strictObject({
  goal: text(quoteLimits.goalChars).describe('What you want to do, in English. Must not contain credentials.'),
  quantity: calls().optional().describe('Number of API calls. Default: estimated from the goal.'),
  budgetUsd: z
    .string()
    .regex(/^\d{1,9}(?:\.\d{1,6})?$/, { error: 'must be an amount such as "25" or "4.50", with at most 6 decimals' })
    .optional()
    .describe('What you can spend, in US dollars.'),
  budgetExclusive: z.boolean().optional().describe('True if the budget must cover the whole goal.'),
  reviewAfterCalls: calls().optional().describe('Number of calls after which you decide whether to continue.'),
  requirements: text(quoteLimits.requirementsChars)
    .optional()
    .describe('Further conditions, in English. Must not contain credentials.'),
  humanAvailable: z
    .boolean()
    .optional()
    .describe('False if nobody can sign up for you; the advice is then anonymous registration.'),
  payment: z.enum(['x402', 'mpp', 'card']).optional().describe('The only method you can pay with.'),
})

/** A valid quote request. */
export type QuoteRequest = z.output<typeof quoteRequest>

const statuses = ['quoted', 'ready', 'needs_input', 'blocked', 'unknown', 'unsupported', 'unavailable'] as const

/**
 * The status of an advice. The first of these conditions that holds decides:
 *
 * 1. `unsupported`: the goal names work that the service does not do (such as sending email), and no search or fetch.
 * 2. `unknown`: neither search nor fetch can be recognized in the goal or the requirements.
 * 3. `unsupported`: something is for sale, but not with the payment method that the request asks for.
 * 4. `needs_input`: the request has no quantity and the goal states no number of calls.
 * 5. `unsupported`: the goal states a pace that the limits of no way to call the server allow, neither for sale nor free.
 * 6. `needs_input`: the goal states more than 1,000,000 calls.
 * 7. `ready`: nothing has to be bought. Keyless use is free, and the request names no payment method and needs no mode
 *    that keyless use lacks. There are at most as many calls as one hour allows (1,000); or the period of the goal allows
 *    all calls, and the request wants to spend nothing (a budget of 0, or words such as "for free") or nothing for sale
 *    covers the goal.
 * 8. `unavailable`: nothing is for sale (no plan together with a payment method, and no x402), or nothing that is for
 *    sale covers all services and modes of the goal.
 * 9. `blocked`: the budget is lower than the lowest total, and either `budgetExclusive` is true or the budget does not
 *    cover the smallest purchase of any way to pay.
 * 10. `quoted`: the guide recommends a way to pay that allows the pace of the goal, with its total price.
 */
export type QuoteStatus = (typeof statuses)[number]

/** The response of a quote, spec 2.9. */
export const quoteResponse = z.strictObject({
  status: z.enum(statuses),
  priceUsd: z.literal('0').describe('The price of the advice itself.'),
  guide: z.string().describe('The advice, as markdown.'),
  guideUrl: z.url().describe('The same advice without a wallet.'),
})

export type QuoteResponse = z.output<typeof quoteResponse>
