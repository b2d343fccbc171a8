import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { deleteRecords, type PlanShop, startPlanShop } from '../store/purchases/plan-shop.ts'
import { documentOf, everything } from '../transports/http/openapi/described-server.ts'

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/http-api.md'), 'utf8')
const tableStart = '| Path | Caller | `pro`, `realtime` | `webql`, `realtime_content` |\n'

/** The statuses in the table of modes, by path and mode. */
const documented = page
  .slice(page.indexOf(tableStart) + tableStart.length)
  .split('\n\n', 1)[0]!
  .split('\n')
  .slice(1)
  .flatMap(row => {
    const [, path = '', , open, keyed] = row.split('|').map(cell => cell.trim().replaceAll('`', ''))
    return ['pro', 'realtime', 'webql', 'realtime_content'].map((mode, at) => ({
      path,
      mode,
      status: Number(at < 2 ? open : keyed),
    }))
  })

let chain: LocalChain
let shop: PlanShop
const identities: Record<string, Record<string, string>> = {
  '/v1/search/public': { 'x-service-title': 'tests' },
  '/v1/x402/search': {},
}

beforeAll(async () => {
  chain = await startChain()
  shop = await startPlanShop(chain, {
    captures: [{ url: 'https://example.com/tea', html: '<title>Tea</title><p>Green tea.</p>' }],
  })
  const org = (await shop.access.administer('org.create', { name: 'Acme' }, 'test')) as { id: string }
  const workspace = (await shop.access.administer('workspace.create', { name: 'A', org: org.id }, 'test')) as {
    id: string
  }
  const { key } = (await shop.access.administer('key.create', { workspace: workspace.id }, 'test')) as { key: string }
  identities['/v1/search'] = { 'x-api-key': key }
  const { id, token } = await shop.agent()
  await shop.access.administer('plan.grant', { plan: 'pack-1000', agent: id, order: 'one' }, 'test')
  identities['/v1/storefront/search'] = { authorization: `Bearer ${token}` }
})
afterAll(async () => {
  await shop.close()
  await deleteRecords(shop)
  await chain.close()
})

it('has a row for each way to search', async () => {
  const { paths } = await documentOf(everything)
  const ways = Object.keys(paths).filter(path => /^\/v1\/(.*\/)?search(\/public)?$/.test(path))
  expect([...new Set(documented.map(({ path }) => path))].sort()).toEqual(ways.sort())
})

it.each(documented)('gives the status of $path in mode $mode', async ({ path, mode, status }) => {
  const answer = await fetch(`${shop.url}${path}?query=tea&mode=${mode}`, { headers: identities[path]! })
  expect(answer.status).toBe(status)
})

it('is what the OpenAPI document lists', async () => {
  const { paths } = await documentOf(everything)
  const missing = documented.filter(({ path, status }) => paths[path]?.get?.responses[status] === undefined)
  expect(missing).toEqual([])
})
