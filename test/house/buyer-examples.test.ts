import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { type FakeStripe, startFakeStripe } from '../store/purchases/fake-stripe.ts'
import { deleteRecords, FUNDS, PLAN_PRICE, type PlanShop, startPlanShop } from '../store/purchases/plan-shop.ts'
import { startTarget } from '../transports/http/running-server.ts'

const root = resolve(import.meta.dirname, '../..')

/** The pages with programs of buyers. */
const page = ['pay-per-request', 'agent-plans']
  .map(name => readFileSync(join(root, `docs/${name}.md`), 'utf8'))
  .join('\n')

/** The program with a name in the examples of the documents, as it is written there. */
function programOf(name: string): string {
  const programs = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program = '']) => program)
  const found = programs.filter(program => program.startsWith(`// ${name}\n`))
  expect(found, name).toHaveLength(1)
  return found[0]!
}

let chain: LocalChain
let stripe: FakeStripe
let shop: PlanShop
let folder: string

beforeAll(async () => {
  chain = await startChain()
  stripe = await startFakeStripe()
  const card = { secretKey: 'sk_test_1', webhookSecret: 'whsec_test', networkId: 'profile_test', apiBase: stripe.url }
  shop = await startPlanShop(chain, {
    changes: { card },
    captures: [{ url: 'https://example.com/tea', html: '<title>Tea</title><p>Green tea and black tea.</p>' }],
  })
  folder = mkdtempSync(join(tmpdir(), 'asof-buyers-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await shop.close()
  await deleteRecords(shop)
  await stripe.close()
  await chain.close()
})

/** Runs a program of the documents. Returns what it printed. */
async function run(name: string, environment: Record<string, string>): Promise<string> {
  writeFileSync(join(folder, name), programOf(name))
  const env = { PATH: process.env.PATH, ...environment, SERVER: shop.url }
  const child = spawn(process.execPath, [name], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, problems] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(problems).toBe('')
  return printed
}

/** A new wallet with money for a plan. */
async function wallet(): Promise<{ key: `0x${string}`; balance: () => Promise<bigint> }> {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  await chain.mint(address, FUNDS)
  return { key, balance: () => chain.balanceOf(address) }
}

it.each([
  ['buy-x402.mjs', 'x402'],
  ['buy-mpp.mjs', 'mpp'],
])('the example %s buys a plan with a stock client', async (name, method) => {
  const { id, token } = await shop.agent()
  const { key, balance } = await wallet()
  const printed = await run(name, { TOKEN: token, WALLET_KEY: key })
  expect(printed).toMatch(/^200 /)
  expect(printed).toContain(`method: '${method}'`)
  expect(await shop.grants(id)).toMatchObject([{ plan: 'pack-1000', units_left: 1_000, payment: { method } }])
  expect(await balance()).toBe(FUNDS - PLAN_PRICE)
})

it('the example buy-card.mjs buys a plan with a stock client', async () => {
  const asked: unknown[] = []
  const tokens = await startTarget(async (request, response) => {
    asked.push(JSON.parse(await text(request)))
    response.setHeader('content-type', 'application/json').end('{"spt":"spt_1"}')
  })
  const { id, token } = await shop.agent()
  const printed = await run('buy-card.mjs', { TOKEN: token, CARD: 'pm_card_visa', CARD_TOKENS: tokens.url })
  expect(printed).toMatch(/^200 /)
  expect(asked).toMatchObject([
    { amount: '400', currency: 'usd', networkId: 'profile_test', paymentMethod: 'pm_card_visa' },
  ])
  expect(stripe.charges).toMatchObject([{ amount: '400', shared_payment_granted_token: 'spt_1' }])
  expect(await shop.grants(id)).toMatchObject([{ plan: 'pack-1000', payment: { method: 'card' } }])
  await tokens.close()
})

it('the example search.mjs pays for a search with a stock client', async () => {
  const { key, balance } = await wallet()
  const printed = await run('search.mjs', { WALLET_KEY: key })
  expect(printed).toMatch(/^200 /)
  expect(printed).toContain('https://example.com/tea')
  expect(await balance()).toBe(FUNDS - 10_000n)
})

it('the example receipt.mjs checks what was delivered with a stock verifier', async () => {
  const { key } = await wallet()
  const printed = await run('receipt.mjs', { WALLET_KEY: key })
  expect(printed).toMatch(/^true http:\/\/127\.0\.0\.1:\d+\/v1\/x402\/search\?query=tea 20\d\d-/)
})

it('the examples name the packages that their programs import, and the versions that are tested', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const commands = [...page.matchAll(/npm install ((?:@?[\w/-]+@[\d.]+ ?)+)[^`]*?node ([\w-]+\.mjs)/gs)]
  expect(commands.map(([, , program]) => program).sort()).toEqual(
    ['buy-card.mjs', 'buy-mpp.mjs', 'buy-x402.mjs', 'receipt.mjs', 'search.mjs'].sort(),
  )
  for (const [, packages = '', program = ''] of commands) {
    const installed = packages
      .trim()
      .split(/\s+/)
      .map(each => /^(@?[^@]+)@(.+)$/.exec(each)!.slice(1, 3) as [string, string])
    for (const [name, version] of installed)
      expect(devDependencies[name], name).toMatch(new RegExp(`^${version}(?:\\.|$)`))
    const imported = [...programOf(program).matchAll(/from '(?!node:)((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name!)
    for (const name of imported)
      expect(
        installed.map(([each]) => each),
        program,
      ).toContain(name)
  }
})
