import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FeedbackStore } from '../../../service/feedback/feedback-store.ts'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { feedbackContract } from './feedback-contract.ts'
import { all, submissionOf } from './temporary-store.ts'

if (noDatabase) console.warn(`test/service/feedback: ${noDatabase}`)

describe.skipIf(noDatabase)('in PostgreSQL', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await createTestDatabase()
  })
  afterAll(() => test.stop())

  const empty = async () => {
    const database = await test.open()
    const store = await FeedbackStore.open(new PostgresRecords(database))
    await test.sql`truncate feedback, feedback_latest, feedback_refetch, server_lock`
    return { store, remove: () => database.close() }
  }

  feedbackContract('in PostgreSQL', empty)

  it('is shared by servers, and the later judgment counts, whoever took it', async () => {
    const { store, remove } = await empty()
    const other = await FeedbackStore.open(new PostgresRecords(await test.open()))
    await store.record(submissionOf('tides', 1, { 'https://a.example/': 3 }), [])
    await other.record(submissionOf('tides', 2, { 'https://a.example/': 5 }), [])
    const scores = (await all(store.current())).map(({ judgments }) => judgments.map(({ score }) => score))
    expect(scores).toEqual([[], [5]])
    await remove()
  })

  it('counts each page to fetch again once, though servers record at the same time', async () => {
    const { store, remove } = await empty()
    const others = await Promise.all(
      [1, 2, 3].map(async () => FeedbackStore.open(new PostgresRecords(await test.open()))),
    )
    const urls = Array.from({ length: 40 }, (_, i) => `https://a.example/${i}`)
    const scores = Object.fromEntries(urls.map(url => [url, 0]))
    await Promise.all(
      [store, ...others].flatMap(server =>
        [1, 2, 3].map(() =>
          server.record(
            submissionOf('tides', 1, scores),
            urls.toSorted(() => Math.random() - 0.5),
          ),
        ),
      ),
    )
    expect(await test.sql`select count(*)::int from feedback_refetch`).toEqual([{ count: 40 }])
    const taken = await Promise.all([store, ...others].map(server => server.refetches(15)))
    expect(new Set(taken.flat()).size).toBe(taken.flat().length)
    await remove()
  })

  it('gives a page to another server when the one that has it has closed or was not heard of', async () => {
    const { store, remove } = await empty()
    const other = await FeedbackStore.open(new PostgresRecords(await test.open()))
    const third = await FeedbackStore.open(new PostgresRecords(await test.open()))
    await store.record(submissionOf('tides', 1, { 'https://a.example/': 0 }), ['https://a.example/'])
    expect(await store.refetches(10)).toEqual(['https://a.example/'])
    expect(await store.refetches(10)).toEqual(['https://a.example/'])
    expect(await other.refetches(10)).toEqual([])
    await store.close()
    expect(await other.refetches(10)).toEqual(['https://a.example/'])
    expect(await third.refetches(10)).toEqual([])
    // As time does to the lease of a server that is not heard of.
    await test.sql`
      update server set alive_until = clock_timestamp() - interval '1 second' where id = (select server from server_lock)`
    expect(await third.refetches(10)).toEqual(['https://a.example/'])
    await third.settleRefetches(['https://a.example/'], 5)
    expect(await other.refetches(10)).toEqual([])
    await remove()
  })
})
