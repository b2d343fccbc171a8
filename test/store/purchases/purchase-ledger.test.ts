import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PurchaseLedger } from '../../../store/purchases/index.ts'
import { purchaseLedgerContract } from './purchase-ledger-contract.ts'

purchaseLedgerContract('in a folder', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-purchases-'))
  const ledger = await PurchaseLedger.open(await JournalRecords.open(dir))
  return {
    ledger,
    remove: async () => {
      await ledger.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
})
