import type { Write } from '../../records/journal.ts'
import type { AccountAct } from '../account-store.ts'
import type { Key } from '../organization.ts'
import { accountKeys } from './account-keys.ts'

/**
 * Returns what stores the records of an act, with the keys by which they are found. The ledger and the audit log are left
 * out.
 *
 * @param keyBefore - the key of the act as it was stored before; undefined if it is new.
 */
export function recordWrites(act: AccountAct, keyBefore?: Key): Write[] {
  const { organization, workspace, key, agent, grant } = act
  const writes: Write[] = []
  if (organization) writes.push([accountKeys.record('organization', organization.id), organization])
  if (workspace) {
    const { id } = workspace
    writes.push([accountKeys.record('workspace', id), workspace])
    writes.push([accountKeys.workspaceIn(workspace.organization, id), id])
  }
  if (key) {
    const { id, workspace, hash, revokedAt } = key
    writes.push([accountKeys.record('key', id), key])
    writes.push([accountKeys.keyIn(workspace, id), id])
    if (keyBefore && keyBefore.hash !== hash) writes.push([accountKeys.secret(keyBefore.hash), undefined])
    writes.push([accountKeys.secret(hash), revokedAt === undefined ? id : undefined])
  }
  if (agent) {
    const { id, hash, revokedAt } = agent
    writes.push([accountKeys.record('agent', id), agent])
    writes.push([accountKeys.agentToken(hash), revokedAt === undefined ? id : undefined])
  }
  if (grant) {
    const { method, reference } = grant.payment
    writes.push([accountKeys.grant(grant.agent, grant.id), grant])
    writes.push([accountKeys.grantPayment(method, reference), grant])
  }
  return writes
}
