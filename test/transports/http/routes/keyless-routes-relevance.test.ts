import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchResponse } from '../../../../service/index.ts'
import { createClient } from '../../../../transports/client/index.ts'
import { get, noLimits, post, put, query, type RunningServer, startServer } from '../running-server.ts'

const captures = [
  { url: 'https://a.example/house', title: 'On the coast', text: 'An old lighthouse by the sea.' },
  { url: 'https://a.example/harbor', title: 'Harbor', text: 'The harbor of a town.' },
  { url: 'https://a.example/town', title: 'Town', text: 'A town by the sea, with a harbor.' },
]

const token = 'a-token-of-some-length'
const admin = { Authorization: `Bearer ${token}` }
let server: RunningServer
let searchUrl: string
beforeAll(async () => {
  server = await startServer({ captures, accounts: true, http: { adminToken: token, keylessLimits: noLimits } })
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

  it('gets the ranges of its words, in the texts as sent', async () => {
    const { results } = searchResponse.parse((await post(searchUrl, request)).body)
    const wordsAt = (text: string, ranges: readonly number[][] = []) => ranges.map(([from, to]) => text.slice(from, to))
    for (const { title, title_highlights, snippet = '', snippet_highlights = [] } of results) {
      expect([...wordsAt(title, title_highlights), ...wordsAt(snippet, snippet_highlights)].join(' ')).toMatch(
        /^(lighthouses?\b ?)+$/i,
      )
      for (const [from = 0, to = 0] of snippet_highlights)
        expect(snippet.slice(from - 2, to + 2)).toBe(`**${snippet.slice(from, to)}**`)
    }
    expect(results.flatMap(({ snippet_highlights = [] }) => snippet_highlights)).not.toEqual([])
  })

  it('is answered in mode pro too', async () => {
    const { status, body } = await post(searchUrl, { query: 'ligthou', mode: 'pro', typing: true })
    expect(status).toBe(200)
    expect(urls(searchResponse.parse(body))).toEqual(['https://a.example/house'])
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

describe('the relevance of the index', () => {
  const relevance = {
    synonyms: [{ words: ['port'], also: ['harbor'] }],
    stop_words: ['acme'],
    rules: [{ when: 'port', pin: [{ url: 'https://a.example/house', position: 1 }] }],
  }
  const set = (body: unknown, headers: Record<string, string> = admin) =>
    put(`${server.url}/admin/relevance`, body, headers)

  it('is set and shown by administrators, and changes later searches alone', async () => {
    expect((await get(`${server.url}/admin/relevance`, admin)).body).toEqual({ relevance: {} })
    expect((await post(searchUrl, { query: 'port', mode: 'realtime' })).body).toMatchObject({ results: [] })
    const before = new Date().toISOString()
    const { status, body } = await set(relevance)
    expect(status).toBe(200)
    expect(body).toMatchObject({ relevance })
    const after = searchResponse.parse((await post(searchUrl, { query: 'port', mode: 'realtime' })).body)
    expect(urls(after)).toEqual(['https://a.example/house', 'https://a.example/harbor', 'https://a.example/town'])
    const past = await post(searchUrl, { query: 'port', mode: 'realtime', query_time: before })
    expect(past.body).toMatchObject({ results: [] })
    expect((await get(`${server.url}/admin/relevance?query_time=${before}`, admin)).body).toEqual({ relevance: {} })
    expect((await get(`${server.url}/admin/org/audit`, admin)).body).toMatchObject([{ act: 'relevance.set' }])
  })

  it('is set and shown by the client with the token of administrators', async () => {
    const client = createClient({ url: server.url, title: 'test', adminToken: token })
    const { since } = await client.setRelevance({ synonyms: [['sea', 'ocean']] })
    expect(await client.relevance()).toEqual({ relevance: { synonyms: [['sea', 'ocean']] }, since })
    expect(await client.relevance({ query_time: '2020-01-01' })).toEqual({ relevance: {} })
    const unknown = createClient({ url: server.url, title: 'test', adminToken: 'another-token-of-some-length' })
    await expect(unknown.relevance()).rejects.toMatchObject({ status: 401 })
  })

  it('is rejected with the path of what is wrong, and without the token', async () => {
    expect((await set(relevance, {})).status).toBe(401)
    const bad = await set({ stop_words: ['two words'] })
    expect(bad.status).toBe(400)
    expect(bad.body).toMatchObject({ details: [{ path: 'stop_words[0]' }] })
    expect((await set({ stopwords: [] })).status).toBe(400)
  })
})
