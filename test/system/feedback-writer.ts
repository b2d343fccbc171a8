import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { FeedbackStore } from '../../service/feedback/feedback-store.ts'
import { JournalRecords } from '../../service/records/journal-records.ts'
import { submissionOf } from '../service/feedback/temporary-store.ts'

/** Submits feedback until it is killed. Writes a line to stdout for each acknowledged submission. Arguments: folder, first. */
const [dir, first] = process.argv.slice(2) as [string, string]
const store = await FeedbackStore.open(await JournalRecords.open(dir))
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
writeSync(1, 'ready\n')
for (let at = Number(first); ; at++) {
  const url = `https://n${at}.example/`
  await store.record(submissionOf(`query ${at % 7}`, at, { [url]: 0, 'https://all.example/': 1 + (at % 5) }), [url])
  writeSync(1, `${at}\n`)
}
