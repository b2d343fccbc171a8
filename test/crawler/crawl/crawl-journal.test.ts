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

it('a crawl is known by its begin, and then by its end; crawls stand in order', async () => {
  await recordCrawl(dir, { name: 'b', watch: false, startedAt: 2 })
  await recordCrawl(dir, { name: 'a', watch: true, startedAt: 1 })
  await recordCrawl(dir, { name: 'a', watch: true, startedAt: 1, endedAt: 5, failure: 'disk full' })
  expect(await listCrawls(dir)).toEqual([
    { name: 'a', watch: true, startedAt: 1, endedAt: 5, failure: 'disk full' },
    { name: 'b', watch: false, startedAt: 2 },
  ])
  expect(await listCrawls(join(dir, 'none'))).toEqual([])
})
it('half a line, as a killed process leaves it, hides nothing else', async () => {
  await recordCrawl(dir, { name: 'a', watch: false, startedAt: 1 })
  await appendFile(journalFile(dir, 'a'), '{"name":"a","watch":fal')
  expect(await listCrawls(dir)).toHaveLength(1)
  await recordCrawl(dir, { name: 'a', watch: false, startedAt: 2 })
  expect(await listCrawls(dir)).toHaveLength(2)
})
it('only the last hundred of a corpus are kept', async () => {
  for (let startedAt = 1; startedAt <= 250; startedAt++) await recordCrawl(dir, { name: 'a', watch: false, startedAt })
  const crawls = await listCrawls(dir)
  expect(crawls.length).toBeLessThan(200)
  expect(crawls.at(-1)?.startedAt).toBe(250)
  expect((await readFile(journalFile(dir, 'a'), 'utf8')).split('\n').length).toBeLessThan(205)
})
