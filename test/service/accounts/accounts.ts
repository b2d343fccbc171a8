import { type ChargedWork, captureHold } from '../../../service/accounts/charged-calls.ts'
import type { Access, ChargedCall } from '../../../service/accounts/index.ts'

/** An organization with one key. */
export interface Customer {
  org: string
  workspace: string
  keyId: string
  key: string
}

export interface CustomerSettings {
  zdr?: boolean
  wizards?: boolean
  rate_limit?: number
  allowance?: number
  /** Credits to purchase. */
  credits?: number
}

/** Creates an organization with a workspace and a key. */
export async function addCustomer(access: Access, { credits, ...settings }: CustomerSettings = {}): Promise<Customer> {
  const { id: org } = (await access.administer('org.create', { name: 'Acme', ...settings }, 'tests')) as { id: string }
  if (credits) await access.administer('credits.add', { credits, org }, 'tests')
  const workspace = (await access.administer('workspace.create', { name: 'Main', org }, 'tests')) as { id: string }
  const key = await access.administer('key.create', { workspace: workspace.id }, 'tests')
  const { id: keyId, key: secret } = key as { id: string; key: string }
  return { org, workspace: workspace.id, keyId, key: secret }
}

/** Runs a call of a customer, and charges it if it succeeds. */
export async function chargeCall<T>(
  access: Access,
  { key }: Pick<Customer, 'key'>,
  work: ChargedWork<T>,
): Promise<ChargedCall<T>> {
  return await captureHold(await access.hold((await access.identify(key)).caller), work)
}

export interface UsageReport {
  month: string
  calls: Record<string, number>
  credits_charged: number
  credits_paid: number
  allowance_left: number
  balance: number
}

export async function usageOf(access: Access, org: string, month?: string): Promise<UsageReport> {
  const input = month === undefined ? { org } : { org, month }
  return (await access.administer('usage.show', input, 'tests')) as UsageReport
}
