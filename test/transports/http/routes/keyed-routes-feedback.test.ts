import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { FeedbackStore } from '../../../../service/feedback/feedback-store.ts'
import { JournalRecords } from '../../../../service/records/journal-records.ts'
import { addCustomer, usageOf } from '../../../service/accounts/accounts.ts'
import { all } from '../../../service/feedback/temporary-store.ts'
import { get, post, type RunningServer, startServer } from '../running-server.ts'

let server: RunningServer
let journal: FeedbackStore | undefined
afterEach(async () => {
  await server.close()
  await journal?.close()
  journal = undefined
})

async function start(keepsFeedback = true) {
  server = await startServer({
    accounts: true,
    captures: [{ url: 'https://example.com/', text: 'ships at sea' }],
    parts: async dir => {
      if (keepsFeedback) journal = await FeedbackStore.open(await JournalRecords.open(path.join(dir, 'feedback')))
      return { journal }
    },
  })
  const customer = await addCustomer(server.access)
  return {
    url: `${server.url}/v1/feedback`,
    org: customer.org,
    workspace: customer.workspace,
    headers: { 'X-API-Key': customer.key },
  }
}

const judged = { query: 'ships', feedback: { 'https://example.com/': 4 } }

it('stores feedback for the organization of the key, free of charge', async () => {
  const { url, org, headers } = await start()
  const { status, body } = await post(url, judged, headers)
  expect([status, typeof body.message]).toEqual([200, 'string'])
  expect(await all(journal!.current())).toHaveLength(1)
  expect(await usageOf(server.access, org)).toMatchObject({ credits_charged: 0 })
})

it('refuses feedback without a key (401), with a bad score, URL or map (400), and with another method (405)', async () => {
  const { url, headers } = await start()
  expect((await post(url, judged)).status).toBe(401)
  for (const feedback of [{}, { 'https://example.com/': 6 }, { 'https://example.com/': 1.5 }, { 'no address': 1 }])
    expect((await post(url, { query: 'ships', feedback }, headers)).body.error).toBe('invalid_request')
  expect((await post(url, { ...judged, colour: 'red' }, headers)).body.error).toBe('invalid_request')
  expect((await get(url, headers)).status).toBe(405)
  expect(await all(journal!.current())).toHaveLength(0)
})

it('refuses feedback with a sealed key, and says why', async () => {
  const { url, workspace } = await start()
  const sealed = { workspace, sealed_at: '2020-01-01' }
  const { key } = (await server.access.administer('key.create', sealed, 'tests')) as { key: string }
  const { status, body } = await post(url, judged, { 'X-API-Key': key })
  expect([status, body.error]).toEqual([403, 'forbidden'])
  expect(body.message).toContain('sealed')
  expect(await all(journal!.current())).toHaveLength(0)
})

it('refuses feedback with 404 if the server stores none', async () => {
  const { url, headers } = await start(false)
  expect((await post(url, judged, headers)).status).toBe(404)
})
