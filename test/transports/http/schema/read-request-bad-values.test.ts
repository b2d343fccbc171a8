import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorResponse } from '../../../../service/index.ts'
import { libraryPhrasesIn } from '../../../library-phrases.ts'
import { addCustomer } from '../../../service/accounts/accounts.ts'
import { type LocalChain, startChain } from '../../../store/payments/local-chain.ts'
import { type PaidServer, startPaidServer } from '../../../store/payments/paid-server.ts'
import { type Answer, get, post, query } from '../running-server.ts'

const token = 'a-token-of-some-length'
const title = { 'X-Service-Title': 'tests' }
const admin = { Authorization: `Bearer ${token}` }

let chain: LocalChain
let server: PaidServer
let keyed: Record<string, string>
beforeAll(async () => {
  chain = await startChain()
  server = await startPaidServer(chain, {
    accounts: true,
    now: () => Date.parse('2026-05-10T14:23:45Z'),
    http: { adminToken: token, keylessLimits: { perSecond: 1e6, perHour: 1e6 } },
  })
  keyed = { 'X-API-Key': (await addCustomer(server.access, { rate_limit: 1_000_000 })).key }
})
afterAll(async () => {
  await server.close()
  await chain.close()
})

/** Expects a refusal that names each bad field once, with a reason in the words of asof, and nothing else. */
function expectNamed({ status, body }: Answer, paths: readonly string[]): void {
  expect([status, body.error]).toEqual([400, 'invalid_request'])
  expect(errorResponse.parse(body)).toEqual(body)
  expect(body.details!.map(({ path }) => path).sort()).toEqual([...paths].sort())
  for (const { path, reason } of body.details!) {
    expect(reason).toMatch(/\S/)
    expect(libraryPhrasesIn(reason)).toEqual([])
    expect(body.message).toContain(path === '' ? reason : `${path}: ${reason}`)
  }
  // The name of an unknown field comes from the caller, and may contain any words.
  const said = paths.reduce((text, path) => text.replaceAll(path, ''), body.message!)
  expect(libraryPhrasesIn(said)).toEqual([])
}

type Row = [request: Record<string, unknown>, paths: string[]]

/** Requests that are bad in the body and in the query string. */
const searches: Row[] = [
  [{}, ['query']],
  [{ query: '' }, ['query']],
  [{ query: 'a'.repeat(2_049) }, ['query']],
  [{ query: 'site:exam@ple/' }, ['query']],
  [{ query: 'tea', mode: 'fast' }, ['mode']],
  [{ query: 'tea', max_results: 0 }, ['max_results']],
  [{ query: 'tea', max_results: 51, snippet_max_length: 12 }, ['max_results', 'snippet_max_length']],
  [{ query: 'tea', max_results: 2.5 }, ['max_results']],
  [{ query: 'tea', max_results: 1e300 }, ['max_results']],
  [{ query: 'tea', max_results: 'ten', snippet_max_length: 'long' }, ['max_results', 'snippet_max_length']],
  [{ query: 'tea', enable_wizards: 'maybe' }, ['enable_wizards']],
  [{ query: 'tea', enable_wizards: true, mode: 'realtime', max_results: 99 }, ['enable_wizards', 'max_results']],
  [{ query: 'tea', site: 'https://example.com/docs' }, ['site']],
  [{ query: 'tea', language: '%%' }, ['language']],
  [{ query: 'tea', query_time: 'nope' }, ['query_time']],
  [{ query: 'tea', query_time: '2027-01-01' }, ['query_time']],
  [{ query: 'tea', acquired_after: '2026-02-30', published_before: 'soon' }, ['acquired_after', 'published_before']],
  [{ query: 'tea', published_after: '3w', acquired_before: '1 h' }, ['acquired_before', 'published_after']],
  [
    { query: '', max_results: 0, query_time: 'nope', site: 'a b', published_after: 'x', colour: 'red' },
    ['colour', 'max_results', 'published_after', 'query', 'query_time', 'site'],
  ],
  [{ query: 'tea', queryTime: '2024-01-01', maxResults: '3' }, ['maxResults', 'queryTime']],
  [{ query: 'tea', ['x'.repeat(300)]: '1' }, ['x'.repeat(100)]],
]

/** Requests that are bad only as a JSON body. */
const bodies: [unknown, string[]][] = [
  [null, ['']],
  [[], ['']],
  ['"tea"', ['']],
  [{ query: 7, mode: null, site: 5, max_results: null }, ['query', 'site']],
  [{ query: ['tea'], query_time: 1_700_000_000, enable_wizards: 1 }, ['enable_wizards', 'query', 'query_time']],
  [{ query: { a: 1 }, snippet_max_length: '200', language: {} }, ['language', 'query', 'snippet_max_length']],
]

const fetches: Row[] = [
  [{}, ['url']],
  [{ url: '' }, ['url']],
  [{ url: 'example.com/page' }, ['url']],
  [{ url: 'https://user:secret@example.com/' }, ['url']],
  [{ url: 'javascript:alert(1)' }, ['url']],
  [{ url: 'ftp://example.com/', live: true }, ['url']],
  [{ url: `https://example.com/${'a'.repeat(5_000)}` }, ['url']],
  [{ url: 'https://example.com/', max_chars: 0, live: 'yes' }, ['live', 'max_chars']],
  [{ url: 'https://example.com/', max_chars: 'all', prompt: ' ' }, ['max_chars', 'prompt']],
  [{ url: 'https://example.com/', prompt: 'x'.repeat(2_001), colour: 'red' }, ['colour', 'prompt']],
  [{ url: 'https://user:secret@example.com/', max_chars: -1 }, ['max_chars', 'url']],
  [{ url: 'http://127.0.0.1/', live: true, max_chars: 0 }, ['max_chars', 'url']],
]

describe('a search with bad values is refused with 400, which names each of them once', () => {
  it.each([...searches, ...bodies])('posted: %j', async (request, paths) => {
    expectNamed(await post(`${server.url}/v1/search/public`, request, title), paths)
    expectNamed(await post(`${server.url}/v1/search`, request, keyed), paths)
    expectNamed(await post(`${server.url}/v1/x402/search`, request, {}), paths)
  })

  it.each(searches)('in the query string: %j', async (request, paths) => {
    const asked = query(request)
    expectNamed(await get(`${server.url}/v1/search/public?${asked}`, title), paths)
    expectNamed(await get(`${server.url}/v1/search?${asked}`, keyed), paths)
    if (asked !== '') expectNamed(await get(`${server.url}/v1/x402/search?${asked}`, {}), paths)
  })

  it('in any combination', async () => {
    const bad: Record<string, unknown[]> = {
      query: ['', ' \n', 7, null, 'a'.repeat(2_049)],
      mode: ['fast', 1],
      site: ['a b', 'https://x/y', 5, true],
      max_results: [0, 51, -3, 1.5, '7', [], 1e99],
      snippet_max_length: [179, 10_001, 'x', false],
      enable_wizards: ['true', 1, {}],
      query_time: ['nope', '2026-13-01', '2027-01-01', 3],
      acquired_after: ['x', '2026-02-30', '5w', {}],
      published_before: ['yesterday', '-1d', 9],
      language: ['%', '12', 4],
      colour: ['red'],
    }
    const one = (name: string) => fc.constantFrom(...bad[name]!).map(value => [name, value] as const)
    const request = fc
      .subarray(Object.keys(bad), { minLength: 1 })
      .chain(names => fc.tuple(...names.map(one)))
      .map(entries => Object.fromEntries(entries))
    await fc.assert(
      fc.asyncProperty(request, async asked => {
        const answer = await post(`${server.url}/v1/search/public`, { query: 'tea', ...asked }, title)
        expectNamed(answer, Object.keys(asked))
      }),
      { numRuns: 150 },
    )
  })

  it('also query parameters of a POST, and repeated parameters', async () => {
    const stray = await post(`${server.url}/v1/search/public?mode=pro`, { query: 'tea', max_results: 0 }, title)
    expectNamed(stray, ['max_results', 'mode'])
    const twice = await get(`${server.url}/v1/search?query=a&query=b&max_results=0&query_time=x`, keyed)
    expectNamed(twice, ['max_results', 'query', 'query_time'])
  })
})

describe('a fetch with bad values is refused with 400, which names each of them once', () => {
  it.each(fetches)('%j', async (request, paths) => {
    const asked = query(request)
    expectNamed(await get(`${server.url}/v1/fetch/public?${asked}`, title), paths)
    expectNamed(await get(`${server.url}/v1/fetch?${asked}`, keyed), paths)
    if (asked !== '') expectNamed(await get(`${server.url}/v1/x402/fetch?${asked}`, {}), paths)
  })

  it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/latest/', 'http://localhost/'])(
    'an address that must not be fetched is address_refused on every route: %s',
    async url => {
      const asked = query({ url, live: true })
      for (const answer of [
        await get(`${server.url}/v1/fetch/public?${asked}`, title),
        await get(`${server.url}/v1/fetch?${asked}`, keyed),
        await get(`${server.url}/v1/x402/fetch?${asked}`, {}),
      ]) {
        expect([answer.status, answer.body.error]).toEqual([400, 'address_refused'])
        expect(answer.body.details!.map(({ path }) => path)).toEqual(['url'])
        expect(libraryPhrasesIn(JSON.stringify(answer.body))).toEqual([])
      }
    },
  )
})

describe('other requests with bad values are refused with 400, which names each of them once', () => {
  it.each([
    [{}, ['q']],
    [{ q: 'a'.repeat(201), limit: 0 }, ['limit', 'q']],
    [{ q: 'a', limit: 'x', colour: '1' }, ['colour', 'limit']],
  ] as Row[])('suggest: %j', async (request, paths) => {
    expectNamed(await get(`${server.url}/v1/suggest?${query(request)}`, {}), paths)
  })

  it.each([
    [{}, ['feedback', 'query']],
    [{ query: 'tea', feedback: {} }, ['feedback']],
    [{ query: 'tea', feedback: [] }, ['feedback']],
    [
      { query: '', feedback: { 'https://example.com/': 6, nowhere: 2 }, feedback_text: 5 },
      ['feedback.https://example.com/', 'feedback.nowhere', 'feedback_text', 'query'],
    ],
    [{ query: 'tea', feedback: { 'https://example.com/': 'good' } }, ['feedback.https://example.com/']],
  ] as Row[])('feedback: %j', async (request, paths) => {
    expectNamed(await post(`${server.url}/v1/feedback`, request, keyed), paths)
  })

  it.each([
    ['org/create', {}, ['name']],
    ['org/create', { name: '', rate_limit: 0, allowance: -1, zdr: 'yes' }, ['allowance', 'name', 'rate_limit', 'zdr']],
    ['org/create', { name: 'x'.repeat(300), x: 1 }, ['name', 'x']],
    ['credits/add', { credits: 0.5, org: 'Ä' }, ['credits', 'org']],
    ['key/create', { workspace: 5 }, ['workspace']],
  ] as [string, unknown, string[]][])('administration: %s %j', async (act, request, paths) => {
    expectNamed(await post(`${server.url}/admin/${act}`, request, admin), paths)
  })

  it('administration in the query string', async () => {
    expectNamed(await get(`${server.url}/admin/org/list?limit=0&after=%C3%84`, admin), ['after', 'limit'])
    expectNamed(await get(`${server.url}/admin/usage/show?month=13`, admin), ['month', 'org'])
  })
})

describe('a reason says which values the field accepts', () => {
  it.each([
    [{ max_results: 0 }, 'max_results', 'must be a whole number from 1 to 50'],
    [{ max_results: 'ten' }, 'max_results', 'must be a whole number from 1 to 50'],
    [{ snippet_max_length: 5 }, 'snippet_max_length', 'must be a whole number from 180 to 10000'],
    [{ mode: 'fast' }, 'mode', 'must be one of pro, realtime, realtime_content, webql'],
    [{ enable_wizards: 'x' }, 'enable_wizards', 'must be true or false'],
    [{ site: 5 }, 'site', 'must be text'],
    [{ colour: 1 }, 'colour', 'unknown field'],
  ])('%j', async (fields, path, reason) => {
    const { body } = await post(`${server.url}/v1/search/public`, { query: 'tea', ...fields }, title)
    expect(body).toMatchObject({ message: `${path}: ${reason}`, details: [{ path, reason }] })
  })
})
