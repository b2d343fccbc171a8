import { z } from 'zod'
import { callKinds, type Sku, skus } from '../contract/sku.ts'
import { planAnswer } from './plans/plan.ts'

/** The answers of administrative acts, with the names of the wire. */

const instant = z.iso.datetime()
const count = z.int().min(0)

const organizationAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  zdr: z.boolean(),
  wizards: z.boolean(),
  rate_limit: z.int(),
  allowance: z.int(),
  created_at: instant,
})
export type OrganizationAnswer = z.output<typeof organizationAnswer>

const workspaceAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  org: z.string(),
  suspended: z.boolean(),
  created_at: instant,
})
export type WorkspaceAnswer = z.output<typeof workspaceAnswer>

const keyAnswer = z.strictObject({
  id: z.string(),
  workspace: z.string(),
  label: z.string().nullable(),
  sealed_at: instant.nullable(),
  disabled: z.boolean(),
  created_at: instant,
  rotated_at: instant.nullable(),
  revoked_at: instant.nullable(),
})
export type KeyAnswer = z.output<typeof keyAnswer>

const newKeyAnswer = z.strictObject({
  id: z.string(),
  key: z.string().describe('The key. It is not shown again, because only its hash is kept.'),
})

const auditAnswer = z.strictObject({
  sequence: z.int(),
  at: instant,
  actor: z.string(),
  act: z.string().describe('The name of the act, such as `key.rotate`.'),
  target: z.string(),
  facts: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .readonly()
    .optional(),
})
export type AuditAnswer = z.output<typeof auditAnswer>

const ledgerAnswer = z.strictObject({
  sequence: z.int(),
  at: instant,
  kind: z.enum(['purchase', 'charge', 'refund', 'return']),
  credits: z.int().describe('Number of credits; negative for a charge.'),
  source: z.enum(['purchased', 'allowance']),
  month: z.string().optional(),
  sku: z.enum(skus).optional(),
  key: z.string().optional(),
  refund_of: z.int().optional().describe('The sequence number of the charge that was refunded.'),
})
export type LedgerAnswer = z.output<typeof ledgerAnswer>

const calls = z.record(z.enum(skus), count)
/** The numbers of calls by SKU. */
export type CallsAnswer = Record<Sku, number>

const usageAnswer = z.strictObject({
  org: z.string(),
  month: z.string(),
  calls,
  credits_charged: count,
  credits_paid: count.describe('The charged credits that were purchased.'),
  allowance: count,
  allowance_left: count,
  balance: z.int().describe('The purchased credits that are left.'),
  days: z
    .array(z.strictObject({ day: z.string(), calls }))
    .optional()
    .describe('The calls of each day, UTC, if `by_day` asks for them.'),
})
export type UsageAnswer = z.output<typeof usageAnswer>

const agentAnswer = z.strictObject({
  id: z.string(),
  created_at: instant,
  expires_at: instant,
  revoked_at: instant.nullable(),
})
export type AgentAnswer = z.output<typeof agentAnswer>

const grantAnswer = z.strictObject({
  id: z.string(),
  agent: z.string(),
  plan: z.string(),
  services: z.array(z.enum(callKinds)).readonly(),
  units: z.int().describe('Number of included calls.'),
  units_left: z.int(),
  starts_at: instant,
  ends_at: instant.nullable(),
  refunded_at: instant.nullable().describe('When the plan was taken back because its payment was refunded.'),
  payment: z.strictObject({ method: z.enum(['operator', 'x402', 'mpp', 'card']), reference: z.string() }),
})
export type GrantAnswer = z.output<typeof grantAnswer>

/** The answer of each administrative act. */
export const adminAnswers = {
  'org.create': organizationAnswer.pick({ id: true, name: true }),
  'org.update': organizationAnswer,
  'org.list': z.array(organizationAnswer),
  'org.audit': z.array(auditAnswer),
  'workspace.create': workspaceAnswer.pick({ id: true }),
  'workspace.list': z.array(workspaceAnswer),
  'workspace.suspend': workspaceAnswer,
  'workspace.resume': workspaceAnswer,
  'key.create': newKeyAnswer,
  'key.list': z.array(keyAnswer),
  'key.disable': keyAnswer,
  'key.enable': keyAnswer,
  'key.revoke': keyAnswer,
  'key.rotate': newKeyAnswer,
  'credits.add': z.strictObject({ balance: z.int() }),
  'credits.list': z.array(ledgerAnswer),
  'agent.list': z.array(agentAnswer),
  'agent.show': agentAnswer.extend({ plans: z.array(grantAnswer) }),
  'agent.revoke': agentAnswer,
  'plan.list': z.array(planAnswer),
  'plan.grant': grantAnswer,
  'plan.refund': grantAnswer,
  'usage.show': usageAnswer,
} as const

/** The name of what an administrator can do with accounts, such as `org.create`. `Access.administer` takes it. */
export type AdminActName = keyof typeof adminAnswers

/** The answer of an act. */
export type AdminAnswer<Act extends AdminActName> = z.output<(typeof adminAnswers)[Act]>
