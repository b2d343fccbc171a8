import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { createService, type LivePage, LlmReader, type Reader, type Reading } from '../../../service/index.ts'
import { say, startChatEndpoint } from '../chat-endpoint.ts'
import { sendJson } from '../model-endpoint.ts'

const url = 'https://a.example/tides'
const fetched = { url, max_chars: 50_000, live: false }
const livePage: LivePage = { url, title: 'Tides', markdown: 'The live tide is at seven.', acquiredAt: 0 }

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
  await engine.add([{ url, title: 'Tides', markdown: 'About ships.\n\nThe tide is at six.' }])
})
afterEach(async () => {
  await engine.close()
})

const serviceWith = (reader?: Reader) => createService(engine, async () => livePage, reader ? { reader } : {})

it('reports which reader answered a prompt, and nothing without a prompt', async () => {
  const service = serviceWith()
  const plain = await service.answer('fetch', fetched)
  expect(plain.body.content).toContain('About ships')
  expect(plain.reader).toBeUndefined()
  const { body, reader } = await service.answer('fetch', { ...fetched, prompt: 'When is the tide?' })
  expect(body.content).toBe('The tide is at six.')
  expect(reader).toBe('extractive')
})

it('answers with the fields that the page had as of query_time, and without the field if it had none', async () => {
  const released = new Date('2025-05-01')
  await engine.add([
    { url: 'https://a.example/lamp', text: 'A lamp.', acquiredAt: '2025-06-01', fields: { price: 20, released } },
    { url: 'https://a.example/lamp', text: 'A lamp.', acquiredAt: '2025-07-01', fields: { price: 15 } },
  ])
  const lamp = { ...fetched, url: 'https://a.example/lamp' }
  const { body: then } = await serviceWith().answer('fetch', { ...lamp, query_time: '2025-06-15' })
  expect(then.fields).toEqual({ price: 20, released: { $date: '2025-05-01T00:00:00.000Z' } })
  expect((await serviceWith().answer('fetch', lamp)).body.fields).toEqual({ price: 15 })
  expect(JSON.parse(JSON.stringify((await serviceWith().answer('fetch', fetched)).body))).not.toHaveProperty('fields')
})

it('answers with what is known of the page as of query_time if the request includes its metadata', async () => {
  const data = [{ '@type': 'Product', name: 'Lamp' }]
  const lamp = { url: 'https://a.example/lamp', text: 'A lamp.', title: 'Lamp', lang: 'en' }
  await engine.add([
    { ...lamp, acquiredAt: '2025-06-01', description: 'A lamp of brass.', siteName: 'Shop', data, kind: 'product' },
    { url: lamp.url, seenAt: '2025-06-10' },
    { ...lamp, acquiredAt: '2025-07-01', description: 'A lamp of tin.' },
  ])
  const request = { ...fetched, url: lamp.url, include: ['metadata' as const] }
  const page = async (query_time: string) => {
    const { body } = await serviceWith().answer('page', { url: lamp.url, max_chars: 100, query_time })
    const { description, site_name, lang, kind, published_from, revised_at, last_seen_at, data } = body
    return { description, site_name, lang, kind, published_from, revised_at, last_seen_at, data }
  }
  const then = (await serviceWith().answer('fetch', { ...request, query_time: '2025-06-15' })).body
  expect(then.metadata).toEqual(await page('2025-06-15'))
  expect(then.metadata).toMatchObject({
    description: 'A lamp of brass.',
    site_name: 'Shop',
    lang: 'en',
    kind: 'product',
    last_seen_at: '2025-06-10T00:00:00.000Z',
    data,
  })
  const { metadata } = (await serviceWith().answer('fetch', { ...request, query_time: '2025-07-15' })).body
  expect(metadata).toEqual(await page('2025-07-15'))
  expect(metadata).toMatchObject({ description: 'A lamp of tin.', revised_at: '2025-07-01T00:00:00.000Z' })
  expect((await serviceWith().answer('fetch', { ...fetched, url: lamp.url })).body).not.toHaveProperty('metadata')
})

it('answers with the metadata of the live page, which has no history', async () => {
  const described = { ...livePage, description: 'Of tides.', lang: 'en' }
  const service = createService(engine, async () => described)
  const { body } = await service.answer('fetch', { ...fetched, live: true, include: ['metadata'] })
  expect(body.metadata).toEqual({ description: 'Of tides.', lang: 'en' })
})

it('answers a prompt from the live page if live is set', async () => {
  const { body } = await serviceWith().answer('fetch', { ...fetched, live: true, prompt: 'When is the tide?' })
  expect(body.content).toBe('The live tide is at seven.')
})

it('answers a prompt with the language model, cut to max_chars', async () => {
  const endpoint = await startChatEndpoint((_, response) => say(response, 'Six 🚢 o’clock'))
  try {
    const service = serviceWith(new LlmReader({ baseUrl: endpoint.url, model: 'test' }))
    const request = { ...fetched, max_chars: 5, prompt: 'When is the tide?' }
    const { body, reader } = await service.answer('fetch', request)
    expect([body.content, body.title, reader]).toEqual(['Six 🚢', 'Tides', 'llm'])
  } finally {
    await endpoint.close()
  }
})

it('fails if the language model fails, instead of using the built-in reader', async () => {
  const endpoint = await startChatEndpoint((_, response) => sendJson(response, 503, {}))
  try {
    const service = serviceWith(new LlmReader({ baseUrl: endpoint.url, model: 'test' }))
    const answer = service.answer('fetch', { ...fetched, prompt: 'When?' })
    await expect(answer).rejects.toMatchObject({ statusCode: 500, message: expect.stringContaining('answered 503') })
  } finally {
    await endpoint.close()
  }
})

it('runs 4 prompts of one client at a time, queues 8, rejects more, and still serves others', async () => {
  const ends: ((reading: Reading) => void)[] = []
  const reader: Reader = { read: () => new Promise(resolve => ends.push(resolve)) }
  const service = serviceWith(reader)
  const ask = (client: string) => service.answer('fetch', { ...fetched, prompt: 'When?' }, { client })
  const greedy = Array.from({ length: 13 }, () => ask('greedy'))
  await expect(Promise.race(greedy)).rejects.toMatchObject({
    kind: 'overloaded',
    statusCode: 503,
    retryAfterSeconds: 1,
  })
  expect(ends).toHaveLength(4)
  const other = ask('other')
  await expect.poll(() => ends.length).toBe(5)
  ends[4]!({ content: 'now', reader: 'extractive' })
  expect(await other).toMatchObject({ body: { content: 'now' } })
  const settled = Promise.allSettled(greedy)
  for (let next = 0; next < 13; next++) {
    if (next === 4) continue
    await expect.poll(() => ends.length).toBeGreaterThan(next)
    ends[next]!({ content: 'then', reader: 'extractive' })
  }
  expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(1)
})
