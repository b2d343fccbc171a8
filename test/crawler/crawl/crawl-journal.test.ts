import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { journalFile, listCrawls, recordCrawl } from '../../../crawler/crawl/crawl-journal.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-journal-'))
})
afterEach(() => rm(dir, { recursive: true }))

it('lists crawls by their start, oldest first, with their end once it is recorded', async () => {
  await recordCrawl(dir, { name: 'b', watch: false, startedAt: 2 })
  await recordCrawl(dir, { name: 'a', watch: true, startedAt: 1 })
  await recordCrawl(dir, { name: 'a', watch: true, startedAt: 1, endedAt: 5, failure: 'disk full' })
  expect(await listCrawls(dir)).toEqual([
    { name: 'a', watch: true, startedAt: 1, endedAt: 5, failure: 'disk full' },
    { name: 'b', watch: false, startedAt: 2 },
  ])
  expect(await listCrawls(join(dir, 'none'))).toEqual([])
})
it('ignores half a line that a killed process left', async () => {
  await recordCrawl(dir, { name: 'a', watch: false, startedAt: 1 })
  await appendFile(journalFile(dir, 'a'), '{"name":"a","watch":fal')
  expect(await listCrawls(dir)).toHaveLength(1)
  await recordCrawl(dir, { name: 'a', watch: false, startedAt: 2 })
  expect(await listCrawls(dir)).toHaveLength(2)
})
it('keeps the last 100 crawls of a corpus, and drops the oldest before they are 200', async () => {
  for (let startedAt = 1; startedAt <= 250; startedAt++) await recordCrawl(dir, { name: 'a', watch: false, startedAt })
  const crawls = await listCrawls(dir)
  expect(crawls.length).toBeLessThan(200)
  expect(crawls.at(-1)?.startedAt).toBe(250)
  expect((await readFile(journalFile(dir, 'a'), 'utf8')).split('\n').length).toBeLessThan(205)
})
