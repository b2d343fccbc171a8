import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { get, post, query, type RunningServer, startServer } from '../running-server.ts'

const captures = [
  { url: 'https://a.example/house', title: 'On the coast', text: 'An old lighthouse by the sea.' },
  { url: 'https://a.example/harbor', title: 'Harbor', text: 'The harbor of a town.' },
  { url: 'https://a.example/town', title: 'Town', text: 'A town by the sea, with a harbor.' },
]

let server: RunningServer
let searchUrl: string
beforeAll(async () => {
  server = await startServer({ captures })
  searchUrl = `${server.url}/v1/search/public`
})
afterAll(() => server.close())

const urls = ({ results }: { results: { url: string }[] }) => results.map(({ url }) => url)

describe('a query that is still typed', () => {
  const request = { query: 'ligthou', mode: 'realtime', typing: true } as const

  it('finds words that begin like its last one, typos included', async () => {
    const posted = await post(searchUrl, request)
    expect(posted.status).toBe(200)
    expect(urls(searchResponse.parse(posted.body))).toEqual(['https://a.example/house'])
    const got = await get(`${searchUrl}?${query({ query: 'ligthou', mode: 'realtime', typing: 'true' })}`)
    expect(got.body).toEqual(posted.body)
    const client = createClient({ url: server.url, title: 'test' })
    expect(urls(await client.search(request))).toEqual(['https://a.example/house'])
  })

  it('is rejected in another mode', async () => {
    const { status, body } = await post(searchUrl, { query: 'ligthou', typing: true })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('valid only when mode is realtime')
  })
})

describe('weights', () => {
  it('change the order of results', async () => {
    const request = { query: 'harbor', mode: 'realtime', weights: { title: 50 }, explain: true } as const
    const heavy = searchResponse.parse((await post(searchUrl, request)).body)
    expect(urls(heavy)).toEqual(['https://a.example/harbor', 'https://a.example/town'])
    expect(heavy.explain?.scores[0]?.[0]).toMatchObject({ term: 'harbor', frequency: 51 })
    const got = await get(`${searchUrl}?${query({ ...request, weights: '{"title": 0}', explain: 'true' })}`)
    expect(got.status).toBe(200)
    expect(searchResponse.parse(got.body).explain?.scores[0]?.[0]).toMatchObject({ term: 'harbor', frequency: 1 })
  })

  it('are rejected by their wire name if they are out of range', async () => {
    const { status, body } = await post(searchUrl, { query: 'harbor', weights: { title: 101 } })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('weights.title')
  })
})
