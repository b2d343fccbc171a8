import { afterEach, describe, expect, it } from 'vitest'
import type { AnsweredRequest } from '../../../../transports/http/index.ts'
import { get, type RunningServer, startServer } from '../running-server.ts'

let server: RunningServer
let answered: AnsweredRequest[]
afterEach(() => server.close())

async function start(): Promise<void> {
  answered = []
  server = await startServer({
    captures: [{ url: 'https://example.com/', text: 'ships at sea' }],
    http: { publicMetrics: true, onAnswer: request => answered.push(request) },
  })
}

const search = (headers: Record<string, string>, more = '') =>
  get(`${server.url}/v1/search/public?query=ships${more}`, headers)

async function counted(): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const lines = [...text.matchAll(/^asof_keyless_calls_total\{service_title="((?:[^"\\]|\\.)*)"\} (\d+)$/gm)]
  return new Map(lines.map(([, title, count]) => [title!, Number(count)]))
}

describe('X-Service-Title', () => {
  it('is cut to 256 characters, logged and counted', async () => {
    await start()
    const long = 'x'.repeat(300)
    expect((await search({ 'X-Service-Title': long })).status).toBe(200)
    expect((await search({ 'X-Service-Title': 'my app' })).status).toBe(200)
    expect((await search({ 'X-Service-Title': ' my app ' })).status).toBe(200)
    const cut = 'x'.repeat(256)
    expect(answered.map(({ applicationTitle }) => applicationTitle)).toEqual([cut, 'my app', 'my app'])
    expect(await counted()).toEqual(
      new Map([
        ['my app', 2],
        [cut, 1],
      ]),
    )
  })

  it('is cut between code points', async () => {
    await start()
    const ships = Buffer.from('🚢'.repeat(300)).toString('latin1')
    expect((await search({ 'X-Service-Title': ships })).status).toBe(200)
    expect(answered[0]!.applicationTitle).toBe('🚢'.repeat(256))
  })

  it('is taken from service_title without the header, and has no control characters', async () => {
    await start()
    expect((await search({}, '&service_title=a%0Ab%1B%5B2J')).status).toBe(200)
    expect(answered[0]!.applicationTitle).toBe('a b [2J')
  })

  it('is counted under at most 101 names, without losing a call', async () => {
    await start()
    for (let i = 0; i < 150; i += 1) await search({ 'X-Service-Title': `app ${i}` })
    await search({ 'X-Service-Title': 'app 149' })
    const counts = await counted()
    expect(counts.size).toBe(101)
    expect(counts.get('app 149')).toBe(2)
    expect(counts.get('(other)')).toBe(50)
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(151)
  })
})
