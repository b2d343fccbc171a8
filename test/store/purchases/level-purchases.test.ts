import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LevelPurchases } from '../../../store/purchases/index.ts'
import { purchaseLedgerContract } from './purchase-ledger-contract.ts'

purchaseLedgerContract('in a folder', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-purchases-'))
  const ledger = await LevelPurchases.open(dir)
  return {
    ledger,
    remove: async () => {
      await ledger.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
})
