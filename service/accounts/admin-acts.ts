import { parseInstant } from '@asof/core/internal'
import { z } from 'zod'
import { refusedFields, ServiceError } from '../contract/errors.ts'
import { parseForm, parseRequest } from '../contract/request-fields.ts'
import type { AccountStore } from './account-store.ts'
import {
  shownAgent,
  shownAudit,
  shownEntry,
  shownGrant,
  shownKey,
  shownOrganization,
  shownWorkspace,
} from './admin-answers.ts'
import type { AdminActName, AdminAnswer } from './admin-schemas.ts'
import type { Directory } from './directory.ts'
import type { Agents } from './plans/agents.ts'
import type { Grants } from './plans/grants.ts'
import { type Plan, shownPlan } from './plans/plan.ts'
import { DEFAULT_RATE_LIMIT } from './rate-limit.ts'

/** The parts of the accounts that administrative acts use. */
export interface AccountParts {
  store: AccountStore
  directory: Directory
  agents: Agents
  grants: Grants
  /** The plans for sale. */
  plans: readonly Plan[]
  /** The current time, epoch ms. */
  now: () => number
}

/** An administrative act, which can be performed on the command line, on the local socket or over HTTP. */
export interface AdminAct<Answer extends object = object> {
  /** The HTTP method. Acts that change something are a POST with a JSON body, others a GET with a query string. */
  method: 'GET' | 'POST'
  /** The schema of the input, with the names of the wire. */
  input: z.ZodObject
  /**
   * Parses input that consists of strings, from a command line or a query string.
   *
   * @throws ServiceError invalid_request
   */
  parseForm(form: Readonly<Record<string, unknown>>): Record<string, unknown>
  /**
   * Performs the act.
   *
   * @param actor - who acts, for the audit log.
   * @throws ServiceError invalid_request | not_found
   */
  perform(accounts: AccountParts, input: unknown, actor: string): Promise<Answer>
}

/** Reads the instant of a seal. @throws ServiceError invalid_request - it is no instant, or in the future. */
function sealInstant(time: string, now: number): number {
  const refuse = (reason: string) => refusedFields('invalid_request', [{ path: 'sealed_at', reason }])
  let at: number
  try {
    at = parseInstant(time, 'sealed_at')
  } catch {
    throw refuse('must be a date (2026-01-31) or an ISO 8601 timestamp (2026-01-31T10:00Z)')
  }
  if (at > now) throw refuse('must not be in the future')
  return at
}

function define<S extends z.ZodObject, Answer extends object>(
  method: AdminAct['method'],
  input: S,
  perform: (accounts: AccountParts, input: z.output<S>, actor: string) => Promise<Answer> | Answer,
): AdminAct<Answer> {
  return {
    method,
    input,
    parseForm: form => parseForm(input, form),
    perform: async (accounts, value, actor) => await perform(accounts, parseRequest(input, value), actor),
  }
}

const id = z.string().regex(/^[a-z0-9_]{1,64}$/, { error: 'must be an id: lower-case letters, digits and underscores' })
const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  // PostgreSQL cannot store half of a character, so it would change the name.
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: 'must not contain control characters' })
  .describe('name for people, which need not be unique')
const label = name.describe('what the key is for')
const sealedAt = z.string().describe('the instant up to which calls with the key see the index, such as 2026-01-31')
const org = id.describe('id of the organization')
const workspace = id.describe('id of the workspace')
const agent = id.describe('id of the agent')
const byId = z.strictObject({ id: id.describe('id as in the list') })
const limit = z.int().min(1).max(1_000).default(100).describe('number of entries to list, 1 to 1000')
const page = { limit, after: id.optional().describe('continue after the entry with this id') }
const sequence = 'the entry with this sequence number'
const MAX_COUNT = 1_000_000_000

function pageOf({ limit, after }: { limit: number; after?: string | undefined }) {
  return after === undefined ? { limit } : { limit, after }
}

const rateLimit = z.int().min(1).max(1_000_000).describe('requests per second, for all keys together')
const allowance = z.int().min(0).max(MAX_COUNT).describe('free calls per calendar month')
const zdr = z.boolean().describe('zero data retention: store no query, feedback or content of this organization')
const wizards = z.boolean().describe('turn on wizards (structured answers) for searches that do not say otherwise')

/** All administrative acts by name. */
export const adminActs = {
  'org.create': define(
    'POST',
    z.strictObject({
      name,
      zdr: zdr.default(false),
      wizards: wizards.default(false),
      rate_limit: rateLimit.default(DEFAULT_RATE_LIMIT),
      allowance: allowance.default(1_000),
    }),
    async ({ directory }, { rate_limit: rateLimit, ...rest }, actor) => {
      const created = await directory.createOrganization(actor, { ...rest, rateLimit })
      return { id: created.id, name: created.name }
    },
  ),
  'org.update': define(
    'POST',
    z.strictObject({
      id: id.describe('id as in the list'),
      name: name.optional(),
      zdr: zdr.optional(),
      wizards: wizards.optional(),
      rate_limit: rateLimit.optional(),
      allowance: allowance.optional(),
    }),
    async ({ directory }, { id, rate_limit: rateLimit, ...rest }, actor) => {
      const given = Object.entries({ ...rest, rateLimit }).filter(([, value]) => value !== undefined)
      if (given.length === 0) throw new ServiceError('invalid_request', 'Name at least one setting to change.')
      return shownOrganization(await directory.updateOrganization(actor, id, Object.fromEntries(given)))
    },
  ),
  'org.list': define('GET', z.strictObject(page), async ({ directory }, input) =>
    (await directory.organizations(pageOf(input))).map(shownOrganization),
  ),
  'org.audit': define(
    'GET',
    z.strictObject({ limit, before: z.int().min(1).optional().describe(`continue before ${sequence}`) }),
    async ({ store }, { limit, before }) => (await store.audits(limit, before)).map(shownAudit),
  ),
  'workspace.create': define('POST', z.strictObject({ name, org }), async ({ directory }, { name, org }, actor) => {
    const created = await directory.createWorkspace(actor, org, name)
    return { id: created.id }
  }),
  'workspace.list': define('GET', z.strictObject({ ...page, org: org.optional() }), async ({ directory }, input) =>
    (await directory.workspaces(pageOf(input), input.org)).map(shownWorkspace),
  ),
  'workspace.suspend': define('POST', byId, async ({ directory }, { id }, actor) =>
    shownWorkspace(await directory.setSuspended(actor, id, true)),
  ),
  'workspace.resume': define('POST', byId, async ({ directory }, { id }, actor) =>
    shownWorkspace(await directory.setSuspended(actor, id, false)),
  ),
  'key.create': define(
    'POST',
    z.strictObject({ workspace, label: label.optional(), sealed_at: sealedAt.optional() }),
    async ({ directory, now }, { workspace, label, sealed_at: time }, actor) => {
      const sealedAt = time === undefined ? undefined : sealInstant(time, now())
      return await directory.createKey(actor, workspace, { label, sealedAt })
    },
  ),
  'key.list': define(
    'GET',
    z.strictObject({ ...page, workspace: workspace.optional() }),
    async ({ directory }, input) => (await directory.keys(pageOf(input), input.workspace)).map(shownKey),
  ),
  'key.disable': define('POST', byId, async ({ directory }, { id }, actor) =>
    shownKey(await directory.setDisabled(actor, id, true)),
  ),
  'key.enable': define('POST', byId, async ({ directory }, { id }, actor) =>
    shownKey(await directory.setDisabled(actor, id, false)),
  ),
  'key.revoke': define('POST', byId, async ({ directory }, { id }, actor) =>
    shownKey(await directory.revokeKey(actor, id)),
  ),
  'key.rotate': define('POST', byId, ({ directory }, { id }, actor) => directory.rotateKey(actor, id)),
  'credits.add': define(
    'POST',
    z.strictObject({ credits: z.int().min(1).max(MAX_COUNT).describe('number of credits, a whole number'), org }),
    async ({ directory, store, now }, { credits, org }, actor) => {
      const { id } = await directory.organization(org)
      const audit = { at: now(), actor, act: 'credits.add', target: id, facts: { credits } }
      await store.change(id, async () => ({ result: undefined, act: { purchase: { account: id, credits }, audit } }))
      const [standing] = await store.standings([{ id }])
      return { balance: standing?.balance ?? 0 }
    },
  ),
  'credits.list': define(
    'GET',
    z.strictObject({ limit, after: z.int().min(0).optional().describe(`continue after ${sequence}`), org }),
    async ({ directory, store }, { limit, after, org }) => {
      const { id } = await directory.organization(org)
      return (await store.ledger.entries(id, limit, after)).map(shownEntry)
    },
  ),
  'agent.list': define('GET', z.strictObject(page), async ({ agents }, input) =>
    (await agents.list(pageOf(input))).map(shownAgent),
  ),
  'agent.show': define('GET', byId, async ({ agents, grants }, { id }) => {
    const agent = await agents.agent(id)
    return { ...shownAgent(agent), plans: (await grants.of(id)).map(shownGrant) }
  }),
  'agent.revoke': define('POST', byId, async ({ agents }, { id }, actor) => shownAgent(await agents.revoke(actor, id))),
  'plan.list': define('GET', z.strictObject({}), ({ plans }) => plans.map(shownPlan)),
  'plan.grant': define(
    'POST',
    z.strictObject({
      plan: z.string().max(64).describe('id of the plan'),
      agent,
      order: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,100}$/, { error: 'must be letters, digits, _, . and -' })
        .describe('name of the order; the same order gives the plan once'),
    }),
    async ({ agents, grants, plans }, { plan, agent, order }, actor) => {
      const sold = plans.find(({ id }) => id === plan)
      if (!sold) throw new ServiceError('not_found', `There is no plan ${plan}.`)
      const payment = { method: 'operator', reference: order } as const
      const owner = await agents.agent(agent)
      if (owner.revokedAt !== undefined)
        throw new ServiceError('invalid_request', `The agent ${agent} was revoked; it could not use a plan.`)
      if (!(await grants.ofPayment(payment))) await grants.checkRoom(owner)
      const granted = await grants.grant(actor, owner, sold, payment)
      return shownGrant({ grant: granted, unitsLeft: await grants.unitsLeft(granted) })
    },
  ),
  'plan.refund': define(
    'POST',
    z.strictObject({ grant: id.describe('id of the grant, as `asof agent show` prints it'), agent }),
    async ({ grants }, { grant, agent }, actor) => {
      const refunded = await grants.refund(actor, agent, grant)
      return shownGrant({ grant: refunded, unitsLeft: await grants.unitsLeft(refunded) })
    },
  ),
  'usage.show': define(
    'GET',
    z.strictObject({
      org,
      month: z
        .string()
        .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, { error: 'must be a month such as 2026-11' })
        .optional()
        .describe('month such as 2026-11 (default: the current month, UTC)'),
      by_day: z.boolean().default(false).describe('also list the calls of each day'),
    }),
    async ({ directory, store: { ledger } }, { org, month, by_day: byDay }) => {
      const organization = await directory.organization(org)
      const usage = await ledger.usage(organization, month)
      const shown: AdminAnswer<'usage.show'> = {
        org,
        month: usage.month,
        calls: usage.calls,
        credits_charged: usage.allowance + usage.paid,
        credits_paid: usage.paid,
        allowance: organization.allowance,
        allowance_left: usage.allowanceLeft,
        balance: usage.balance,
      }
      if (byDay) shown.days = await ledger.days(org, month)
      return shown
    },
  ),
} as const satisfies { readonly [Act in AdminActName]: AdminAct<AdminAnswer<Act>> }
