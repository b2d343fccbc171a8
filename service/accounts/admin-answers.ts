import { timestamp } from '../contract/wire-form.ts'
import type {
  AgentAnswer,
  AuditAnswer,
  GrantAnswer,
  KeyAnswer,
  LedgerAnswer,
  OrganizationAnswer,
  WorkspaceAnswer,
} from './admin-schemas.ts'
import type { AuditRecord } from './audit-record.ts'
import type { LedgerEntry } from './ledger.ts'
import type { Key, Organization, Workspace } from './organization.ts'
import type { Agent } from './plans/agent.ts'
import type { GrantStanding } from './plans/grants.ts'

export function shownOrganization(organization: Organization): OrganizationAnswer {
  const { id, name, zdr, wizards, rateLimit, allowance, createdAt } = organization
  return { id, name, zdr, wizards, rate_limit: rateLimit, allowance, created_at: timestamp(createdAt) }
}

export function shownWorkspace({ id, name, organization, suspended, createdAt }: Workspace): WorkspaceAnswer {
  return { id, name, org: organization, suspended, created_at: timestamp(createdAt) }
}

/** Returns a key without its hash. */
export function shownKey(key: Key): KeyAnswer {
  return {
    id: key.id,
    workspace: key.workspace,
    label: key.label ?? null,
    sealed_at: timestamp(key.sealedAt) ?? null,
    disabled: key.disabled,
    created_at: timestamp(key.createdAt),
    rotated_at: timestamp(key.rotatedAt) ?? null,
    revoked_at: timestamp(key.revokedAt) ?? null,
  }
}

export function shownAudit(record: AuditRecord): AuditAnswer {
  return { ...record, at: timestamp(record.at) }
}

export function shownEntry(entry: LedgerEntry): LedgerAnswer {
  const { sequence, at, kind, credits, source, month, sku, key, refundOf } = entry
  const shown: LedgerAnswer = { sequence, at: timestamp(at), kind, credits, source, month, sku, key }
  if (refundOf !== undefined) shown.refund_of = refundOf
  return shown
}

export function shownAgent({ id, createdAt, expiresAt, revokedAt }: Agent): AgentAnswer {
  return {
    id,
    created_at: timestamp(createdAt),
    expires_at: timestamp(expiresAt),
    revoked_at: timestamp(revokedAt) ?? null,
  }
}

export function shownGrant({ grant, unitsLeft }: Pick<GrantStanding, 'grant' | 'unitsLeft'>): GrantAnswer {
  return {
    id: grant.id,
    agent: grant.agent,
    plan: grant.plan,
    services: grant.services,
    units: grant.units,
    units_left: unitsLeft,
    starts_at: timestamp(grant.startsAt),
    ends_at: timestamp(grant.endsAt) ?? null,
    refunded_at: timestamp(grant.refundedAt) ?? null,
    payment: grant.payment,
  }
}
