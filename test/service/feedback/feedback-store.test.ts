import { chmod, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FeedbackStore } from '../../../service/feedback/feedback-store.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { feedbackContract } from './feedback-contract.ts'
import { all, submissionOf, temporaryStore } from './temporary-store.ts'

const a = 'https://a.example/'

let dir: string
let store: FeedbackStore
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ store, dir, remove } = await temporaryStore())
})
afterEach(() => remove())

/** Returns the current judgments as `[at, { url: score }]`. */
async function current(from = store): Promise<[number, Record<string, number>][]> {
  const found = await all(from.current())
  return found.map(({ at, judgments }) => [at, Object.fromEntries(judgments.map(({ url, score }) => [url, score]))])
}

it('stores a submission unchanged, also after it was opened again', async () => {
  const given = { ...submissionOf('tides', 1, { [a]: 3 }), text: 'good' }
  await store.record(given, [])
  await store.close()
  const again = await FeedbackStore.open(await JournalRecords.open(path.join(dir, 'journal')))
  expect(await all(again.current())).toEqual([{ ...given, sequence: 0 }])
  await again.record(submissionOf('ships', 2, { [a]: 1 }), [])
  expect(await current(again)).toHaveLength(2)
  await again.close()
})

it('copies everything, including the pages to fetch again', async () => {
  await store.record(submissionOf('tides', 1, { [a]: 0 }), [a])
  await store.copyTo(path.join(dir, 'copy'))
  const copy = await FeedbackStore.open(await JournalRecords.open(path.join(dir, 'copy')))
  expect(await current(copy)).toEqual(await current())
  expect(await copy.refetches(10)).toEqual([a])
  await copy.close()
})

it('can be opened by one process at a time', async () => {
  await expect(JournalRecords.open(path.join(dir, 'journal'))).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
})

it.skipIf(process.platform === 'win32')('makes its folder private, also one that was open to others', async () => {
  const folder = path.join(dir, 'journal')
  const permissions = async () => (await stat(folder)).mode & 0o777
  expect(await permissions()).toBe(0o700)
  await store.close()
  await chmod(folder, 0o755)
  const again = await FeedbackStore.open(await JournalRecords.open(folder))
  expect(await permissions()).toBe(0o700)
  await again.copyTo(path.join(dir, 'copy'))
  expect((await stat(path.join(dir, 'copy'))).mode & 0o777).toBe(0o700)
  await again.close()
})

feedbackContract('in a folder', temporaryStore)
