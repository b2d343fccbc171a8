import { z } from 'zod'
import { callKinds } from '../../contract/sku.ts'

const MAX_PLANS = 100

const planSchema = z
  .strictObject({
    /** Names the plan in `/plans/{planId}/purchase`. */
    id: z.string().regex(/^[a-z0-9-]{1,64}$/, { error: 'must be lower-case letters, digits and hyphens' }),
    title: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}]*$/u, { error: 'must not contain control characters' }),
    /** A pack is used up by calls. A subscription also ends with its period. */
    kind: z.enum(['pack', 'subscription']),
    services: z
      .array(z.enum(callKinds))
      .min(1)
      .refine(services => new Set(services).size === services.length, { error: 'must name each service once' })
      .default([...callKinds]),
    /** Number of included calls. */
    units: z.int().min(1).max(1_000_000_000),
    /** Price of the plan in US dollars, with at most 2 decimals. */
    price_usd: z.string().regex(/^(?!0(?:\.0+)?$)(?:0|[1-9]\d{0,8})(?:\.\d{1,2})?$/, {
      error: 'must be a positive amount such as "4.00"',
    }),
    /** Length of a subscription's period, days. */
    period_days: z.int().min(1).max(3_660).optional(),
    /** Maximum number of calls per second of one agent. */
    rate_per_second: z.int().min(1).max(1_000_000).default(10),
  })
  .refine(({ kind, period_days }) => (kind === 'subscription') === (period_days !== undefined), {
    path: ['period_days'],
    error: 'is required for a subscription, and not allowed for a pack',
  })

/** The form of a plans file. */
export const plansFile = z.strictObject({
  plans: z
    .array(planSchema)
    .min(1)
    .max(MAX_PLANS)
    .refine(plans => new Set(plans.map(plan => plan.id)).size === plans.length, {
      error: 'two plans have the same id',
    }),
})

/** A plan for sale, with the names of the plans file and the wire. */
export type Plan = z.output<typeof planSchema>

/** The plans that are sold without a plans file: 1,000 calls for $4.00 (spec part 8), as a pack or each month. */
export const defaultPlans: readonly Plan[] = plansFile.parse({
  plans: [
    { id: 'pack-1000', title: '1,000 calls', kind: 'pack', units: 1_000, price_usd: '4.00' },
    {
      id: 'monthly-10000',
      title: '10,000 calls in 30 days',
      kind: 'subscription',
      units: 10_000,
      price_usd: '40.00',
      period_days: 30,
    },
  ],
}).plans

/** The form of a plan as buyers see it. */
export const planAnswer = z.strictObject({
  id: z.string(),
  title: z.string(),
  kind: z.enum(['pack', 'subscription']),
  services: z.array(z.enum(callKinds)),
  units: z.int().describe('Number of included calls.'),
  price_usd: z.string(),
  period_days: z.int().optional(),
  rate_per_second: z.int(),
  meter: z.literal('requests'),
  purchase: z.strictObject({ method: z.literal('POST'), path: z.string() }),
})

/** A plan as buyers see it. */
export type ShownPlan = z.output<typeof planAnswer>

export function shownPlan(plan: Plan): ShownPlan {
  return { ...plan, meter: 'requests', purchase: { method: 'POST', path: `/plans/${plan.id}/purchase` } }
}
