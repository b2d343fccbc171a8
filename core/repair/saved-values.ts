import type { FolderDamage } from '../leveldb/folder-check.ts'
import { salvage } from '../leveldb/salvage.ts'
import { valueIfIntact } from '../store/integrity/checksum.ts'
import { describeKey, isIrreplaceable } from '../store/keys.ts'
import type { Operation, Store } from '../store/store.ts'

const BATCH_BYTES = 4 * 1024 * 1024

/** Copies the readable values of a damaged folder, except those that can be computed from others. */
export async function saveValues(
  location: string,
  store: Store,
  onDamage: (damage: FolderDamage) => void,
): Promise<void> {
  let operations: Operation[] = []
  let bytes = 0
  const write = async (): Promise<void> => {
    await store.commit(operations)
    operations = []
    bytes = 0
  }
  const isIntact = (key: Uint8Array, stored: Uint8Array): boolean => {
    if (valueIfIntact(key, stored)) return true
    onDamage({ file: '', what: `${describeKey(key)} has a wrong checksum` })
    return false
  }
  for await (const [key, stored] of salvage(location, { onDamage, isIntact })) {
    if (!isIrreplaceable(key)) continue
    const value = valueIfIntact(key, stored) as Uint8Array
    operations.push({ type: 'put', key, value })
    bytes += value.length
    if (bytes >= BATCH_BYTES) await write()
  }
  await write()
}
