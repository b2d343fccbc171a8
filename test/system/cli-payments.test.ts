import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalChain, SETTLER_KEY, startChain } from '../store/payments/local-chain.ts'
import { buyer, receiptOf } from '../store/payments/paid-server.ts'
import { addPage, RunningCommand, run, temporaryFolder } from './running-command.ts'

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())

interface Shown {
  state: string
  payer: string
  transaction: string
}

it('asof serve sells a search, and asof payment lists the payment while the server runs and afterwards', async () => {
  const folder = await temporaryFolder()
  const env = {
    ASOF_DATA: folder.dir,
    ASOF_PORT: '0',
    ASOF_BASE_URL: 'https://api.example.com',
    X402_PAY_TO: chain.payTo,
    X402_SETTLER_PRIVATE_KEY: SETTLER_KEY,
    X402_RPC_URL: chain.rpcUrl,
    ASOF_GEO_BLOCK: 'off',
  }
  await addPage(folder.dir)
  const server = new RunningCommand(['serve'], env)
  try {
    const [, url] = await server.shows('stdout', /^listening on (\S+)$/m)
    expect(server.stderr).toContain('every region is served')
    expect(server.stderr).not.toContain(SETTLER_KEY)
    const account = await chain.payer()
    const answer = await buyer(account)(`${url}/v1/x402/search?query=secret+words`)
    expect(answer.status).toBe(200)
    const { transaction } = receiptOf(answer)

    const list = async () => JSON.parse((await run(['payment', 'list', '--json'], env)).stdout) as Shown[]
    const settled = [expect.objectContaining({ state: 'settled', payer: account.address, transaction })]
    expect(await list()).toEqual(settled)
    expect(JSON.parse((await run(['payment', 'reconcile', '--json'], env)).stdout)).toEqual({
      checked: 0,
      settled: 0,
      failed: 0,
      undecided: 0,
    })
    server.signal('SIGTERM')
    expect((await server.finished).code).toBe(0)

    expect(await list()).toEqual(settled)
    const totals = await run(['payment', 'totals'], env)
    expect(totals.stdout).toMatch(/payments=1\s+amount=10000\s+search=1\s+fetch=0\s+purchase=0\s+undelivered=0/)
    const out = path.join(folder.dir, 'payments.jsonl')
    expect((await run(['payment', 'export', '--out', out], env)).stdout).toContain(`wrote 1 payment to ${out}`)
    const exported = await readFile(out, 'utf8')
    expect(JSON.parse(exported)).toMatchObject({ state: 'settled', payer: account.address, amount: '10000' })
    expect(exported).not.toContain('secret')
  } finally {
    server.signal('SIGKILL')
    await server.finished
    await folder.remove()
  }
})

it('asof serve does not start if the node belongs to another chain', async () => {
  const folder = await temporaryFolder()
  const { code, stderr } = await run(['serve'], {
    ASOF_DATA: folder.dir,
    ASOF_PORT: '0',
    X402_PAY_TO: chain.payTo,
    X402_NETWORK: 'eip155:1',
    X402_SETTLER_PRIVATE_KEY: SETTLER_KEY,
    X402_RPC_URL: chain.rpcUrl,
    ASOF_GEO_BLOCK: 'off',
  })
  expect([code, stderr]).toEqual([2, expect.stringContaining('the node belongs to chain 8453, not to eip155:1')])
  await folder.remove()
})

it('asof serve does not start with payments but without a source of regions', async () => {
  const folder = await temporaryFolder()
  const { code, stderr } = await run(['serve'], {
    ASOF_DATA: folder.dir,
    ASOF_PORT: '0',
    X402_PAY_TO: chain.payTo,
    X402_SETTLER_PRIVATE_KEY: SETTLER_KEY,
    X402_RPC_URL: chain.rpcUrl,
  })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/ASOF_GEO_MMDB.*ASOF_GEO_BLOCK/)])
  await folder.remove()
})
