import { expect, it } from 'vitest'
import { z } from 'zod'
import { addCustomer } from '../../../../service/accounts/accounts.ts'
import { get, post, startServer } from '../../running-server.ts'

it('the errors of a batch are in one answer, however many they are', async () => {
  const count = 1_001
  const server = await startServer({ accounts: true, jobs: { pages: count } })
  try {
    const { key } = await addCustomer(server.access, { credits: count, rate_limit: 100_000 })
    const headers = { 'X-API-Key': key }
    const urls = Array.from({ length: count }, (_, i) => `https://gone.example/${i}`)
    const batch = `${server.url}/firecrawl/v2/batch/scrape`
    const started = await post(batch, { urls, query_time: '2025-03-01' }, headers)
    const { id } = z.object({ id: z.string() }).parse(started.body)
    await server.crawlJobs.ended(id, new AbortController().signal)
    const answer = await get(`${batch}/${id}/errors`, headers)
    expect(answer.body).toMatchObject({ errors: urls.map(url => ({ url })) })
  } finally {
    await server.close()
  }
})

it('a batch says that it has no values of pages', async () => {
  const server = await startServer({ accounts: true, jobs: {} })
  try {
    const { key } = await addCustomer(server.access, { credits: 10, rate_limit: 100 })
    const headers = { 'X-API-Key': key }
    const batch = `${server.url}/firecrawl/v2/batch/scrape`
    const json = { type: 'json', schema: { type: 'object', properties: { price: { type: 'number' } } } }
    const request = { urls: ['https://gone.example/'], query_time: '2025-03-01' }
    const refused = await post(batch, { ...request, formats: [json] }, headers)
    expect(refused).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('formats: a crawl has no values') },
    })
    const started = await post(batch, { ...request, formats: ['markdown', json] }, headers)
    const { id } = z.object({ id: z.string() }).parse(started.body)
    const state = await get(`${batch}/${id}`, headers)
    expect(state.body).toMatchObject({
      warning: expect.stringContaining('formats json: left out: a crawl has no values'),
    })
  } finally {
    await server.close()
  }
})
