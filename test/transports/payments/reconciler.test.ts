import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HttpRequestError } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Chain, clientOf, type Fate } from '../../../transports/payments/chain.ts'
import { PaymentLedger } from '../../../transports/payments/index.ts'
import { Reconciler } from '../../../transports/payments/reconciler.ts'
import { paymentRecord } from './payment-record.ts'

let dir: string
let ledger: PaymentLedger
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-reconciler-'))
  ledger = await PaymentLedger.open(dir)
  for (const n of [1, 2, 3]) await ledger.save(paymentRecord(n, 'unknown'))
})
afterEach(async () => {
  await ledger.close()
  await rm(dir, { recursive: true, force: true })
})

/** A chain that says this of each payment, by its nonce. */
class ToldChain extends Chain {
  readonly asked: string[] = []
  readonly #fates: Record<string, Fate | Error>

  constructor(fates: Record<string, Fate | Error>) {
    super(clientOf('http://127.0.0.1:1/'), 1)
    this.#fates = fates
  }

  override async fateOf({ nonce }: Parameters<Chain['fateOf']>[0]): Promise<Fate> {
    this.asked.push(nonce)
    const fate = this.#fates[nonce]!
    if (fate instanceof Error) throw fate
    return fate
  }
}

const paid: Fate = { kind: 'paid', transaction: '0xcc' }
const states = () => [1, 2, 3].map(n => ledger.find(paymentRecord(n, 'unknown').id)?.state)

describe('a sweep', () => {
  it('decides the other payments when the node will not tell of one, and says so', async () => {
    const pruned = new Error('logs of that age are pruned')
    const chain = new ToldChain({ '0x1': pruned, '0x2': paid, '0x3': { kind: 'spent' } })
    await expect(new Reconciler(ledger, chain, () => 5).sweep()).rejects.toBe(pruned)
    expect(states()).toEqual(['unknown', 'settled', 'failed'])
  })

  it('ends with the first payment when the node can not be reached', async () => {
    const outage = new HttpRequestError({ url: 'http://127.0.0.1:1/' })
    const chain = new ToldChain({ '0x1': outage, '0x2': paid, '0x3': paid })
    await expect(new Reconciler(ledger, chain, () => 5).sweep()).rejects.toBe(outage)
    expect(chain.asked).toEqual(['0x1'])
    expect(states()).toEqual(['unknown', 'unknown', 'unknown'])
  })
})
