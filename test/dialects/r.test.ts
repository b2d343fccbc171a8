import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instants, randomNumbers } from './corpus.ts'
import { isTextOf, RANDOM_CALLS } from './nothing-later.ts'
import { type Carrier, pairs, played, World } from './world.ts'

const carriers: readonly Carrier[] = ['path', 'key', 'sealed key']
/** How a program writes the URL behind the address of the reader. */
const forms: readonly ((url: string) => string)[] = [url => url, encodeURIComponent]

interface ReaderAnswer {
  code: number
  data: { title: string; url: string; content: string; publishedTime?: string; warning?: string } | null
  message?: string
}

describe('the reader behind /r/', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open()
  })
  afterAll(() => world?.close())

  async function read(url: string, carrier: Carrier = 'key', at?: string, headers: Record<string, string> = {}) {
    const { base, key } = await world.carried('r', carrier, at)
    return await fetch(`${base}/${url}`, { headers: { Authorization: `Bearer ${key}`, ...headers } })
  }

  const cases = pairs(pairs(carriers, instants), [0, 1]).map(([[carrier, at], form], seed) => ({
    carrier,
    at,
    form,
    seed,
  }))
  it.each(played(cases))(
    'by $carrier at $at in form $form has the page of then, as text and as JSON',
    async ({ carrier, at, form, seed }) => {
      const [url = ''] = world.drawUrls(1, seed)
      const address = forms[form]!(url)
      const answers = [
        await read(address, carrier, at),
        await read(address, carrier, at, { Accept: 'application/json' }),
      ]
      const text = await world.twinText(at, url)
      expect(answers.map(({ status }) => status)).toEqual(text === undefined ? [404, 404] : [200, 200])
      const [plain, json] = [await answers[0]!.text(), (await answers[1]!.json()) as ReaderAnswer]
      if (text === undefined) {
        expect([json.code, json.data]).toEqual([404, null])
        return
      }
      expect(json.data).toMatchObject({ url, content: text })
      expect(plain.startsWith(`Title: ${json.data?.title}\n\nURL Source: ${url}\n`)).toBe(true)
      expect(plain.endsWith(`Markdown Content:\n${text}\n`)).toBe(true)
      expect(answers[0]?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    },
  )

  it.each([
    ['x-target-selector', '#main'],
    ['x-set-cookie', 'a=b'],
    ['x-return-format', 'html'],
    ['x-respond-with', 'screenshot'],
    ['x-json-schema', '{}'],
    ['x-token-budget', '100'],
    ['x-cache-tolerance', 'soon'],
    ['x-query-time', '2025-01-01'],
    ['accept-datetime', 'Wed, 01 Jan 2025 00:00:00 GMT'],
  ])('refuses the header %s, and charges nothing', async (name, value) => {
    const before = await world.creditsOf(world.customer)
    const response = await read(world.versions[0]!.url, 'key', '2025-01-01', { [name]: value })
    const { message } = (await response.json()) as ReaderAnswer
    expect([response.status, message]).toEqual([400, expect.stringContaining(name)])
    expect(await world.creditsOf(world.customer)).toBe(before)
  })

  it('says of when the text is, and what is left out, and costs one credit', async () => {
    const [version] = world.standing('2025-01-01')
    const before = await world.creditsOf(world.customer)
    const headers = { Accept: 'application/json', 'X-With-Links-Summary': 'true', 'X-Timeout': '10' }
    const { data } = (await (await read(version!.url, 'path', '2025-01-01', headers)).json()) as ReaderAnswer
    expect(data?.warning).toContain(new Date(version!.at).toISOString())
    expect(data?.warning).toContain('x-with-links-summary')
    expect(await world.creditsOf(world.customer)).toBe(before + 1)
  })

  it('fetches nothing from a site for a caller who sees only the past', async () => {
    const headers = { 'X-No-Cache': 'true' }
    const response = await read(world.versions[0]!.url, 'sealed key', '2025-01-01', headers)
    expect(response.status).toBe(400)
    expect((await read('https://none.example/', 'sealed key', '2025-01-01')).status).toBe(404)
  })

  it('reads an address without a key by @TIME, and refuses a wrong key and what is no URL', async () => {
    const [version] = world.standing('2025-01-01')
    const text = await (await read(version!.url, 'key', undefined, { Authorization: 'Bearer @2025-01-01' })).text()
    expect(isTextOf(version!, text)).toBe(true)
    expect((await read(version!.url, 'key', undefined, { Authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await read('not-a-url', 'key', '2025-01-01')).status).toBe(400)
  })

  it.each(carriers)(`${RANDOM_CALLS} random pages by %s are those of then`, async carrier => {
    const random = randomNumbers(carrier.length)
    for (let i = 0; i < RANDOM_CALLS; i += 1) {
      const at = instants[random(instants.length)]!
      const { url } = world.versions[random(world.versions.length)]!
      const version = world.standing(at).find(one => one.url === url)
      const response = await read(url, carrier, at)
      expect(response.status).toBe(version ? 200 : 404)
      if (version) expect(isTextOf(version, await response.text())).toBe(true)
    }
  })
})
