import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { paymentFailureText } from '../../../store/folder/payment-failure.ts'
import { PaymentFolder } from '../../../store/folder/payment-folder.ts'
import { PaymentProblem, paymentsUnavailable } from '../../../store/payments/settler.ts'
import { paymentSetupOf } from '../../../transports/cli/settings/payment-settings.ts'
import { libraryPhrasesIn } from '../../library-phrases.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { placeIn } from './folder-place.ts'

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-payment-failure-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** Returns the notices for the operator when payments start with a facilitator at this address. */
async function noticesOver(facilitator: string): Promise<string[]> {
  const setup = await paymentSetupOf(
    {
      x402_pay_to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      x402_facilitator_url: facilitator,
      x402_rpc_url: chain.rpcUrl,
      geo_block: 'off',
    },
    false,
  )
  const notices: string[] = []
  const folder = new PaymentFolder(
    placeIn(dir, line => notices.push(line)),
    setup,
  )
  try {
    await folder.start()
  } finally {
    await folder.close()
  }
  const failures = notices.filter(line => !line.includes('every region is served'))
  expect(failures.flatMap(libraryPhrasesIn)).toEqual([])
  return failures
}

describe('the notice that payments cannot be taken', () => {
  it('describes an outage in our own words and quotes our own error, also when it is a cause', () => {
    const system = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
    expect(paymentFailureText(new TypeError('fetch failed', { cause: system }))).toBe(
      'the node or the facilitator refused the connection',
    )
    expect(paymentFailureText(paymentsUnavailable(new PaymentProblem('the account has no gas')))).toBe(
      'the account has no gas',
    )
    expect(paymentFailureText(new TypeError('fetch failed', { cause: new Error('bad port') }))).toBe(
      "the node or the facilitator can't be reached or does not answer correctly",
    )
    for (const odd of [undefined, null, 'text', new Error('https://node.example/secret-key')])
      expect(paymentFailureText(odd)).not.toMatch(/secret|undefined|null/)
  })

  it('quotes no library when a facilitator refuses the connection or answers with something else', async () => {
    const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      expect(await noticesOver(url)).toEqual([
        "payments: the node or the facilitator can't be reached or does not answer correctly",
      ])
    } finally {
      server.close()
      await once(server, 'close')
    }
    expect(await noticesOver(url)).toEqual(['payments: the node or the facilitator refused the connection'])
  })
})
