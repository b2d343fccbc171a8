import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { jobContract } from './job-contract.ts'

jobContract('in a folder', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-jobs-'))
  const records = await JournalRecords.open(dir)
  return { records, remove: () => rm(dir, { recursive: true, force: true }) }
})
