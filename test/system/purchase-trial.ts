import { setTimeout as sleep } from 'node:timers/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { evm, Mppx } from 'mppx/client'
import type { LocalAccount } from 'viem'
import { type LocalChain, startChain } from '../store/payments/local-chain.ts'
import { settingsOver } from '../store/payments/paid-server.ts'
import { FUNDS, PLAN_PRICE } from '../store/purchases/plan-shop.ts'
import { temporaryFolder } from './running-command.ts'
import { callsLeft, examineSales, isRunning, registerAgent, startSeller, stopSeller } from './running-seller.ts'

/** The steps of a purchase before and after which the seller is killed, in their order. `none`: it is not killed. */
export const steps = [
  'none',
  ...['purchase', 'settling', 'sending', 'settled', 'undecided', 'grant', 'units', 'receipt', 'granted']
    .concat('sent')
    .flatMap(step => [`before ${step}`, `after ${step}`]),
]

/** Seconds between blocks. For 45, time is virtual: no block comes before the seller has given up waiting three times. */
export const blockSeconds = [0.2, 2, 45] as const

export interface Trial {
  client: 'x402' | 'mppx'
  step: string
  blocks: (typeof blockSeconds)[number]
  /** True if the agent sends an `Idempotency-Key`. */
  hasKey: boolean
  /** What the agent does when its call failed: it buys again with the same client, or only looks at its plans. */
  next: 'retries' | 'looks'
}

/** What a trial came to. */
export interface Verdict {
  /** How often the agent paid the price. */
  paid: number
  /** Number of plans that it has. */
  plans: number
  /** Number of calls that it made until it had its plan. */
  calls: number
  /** What `asof doctor` reports. */
  problems: string[]
}

const LATE_ANSWERS = 3
const PAUSE_MS = 50
const PATIENCE_MS = 300_000

/** Buys as an agent does that uses a stock client: it knows nothing of payments that it has signed before. */
async function buyWith(client: Trial['client'], account: LocalAccount, url: string, headers: Record<string, string>) {
  if (client === 'mppx') {
    const authorization = { name: 'USD Coin', version: '2' }
    const buyer = Mppx.create({ methods: [evm.charge({ account, authorization })], polyfill: false })
    return await buyer.fetch(url, { method: 'POST', headers })
  }
  const buyer = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  buyer.setSpendControls({ maxAmountPerPayment: '$10' })
  return await wrapFetchWithPayment(fetch, buyer)(url, { method: 'POST', headers })
}

/** Mines a block every `seconds` until stopped. */
function mineEvery(chain: LocalChain, seconds: number): () => Promise<void> {
  const stop = new AbortController()
  const mining = (async () => {
    while (!stop.signal.aborted) {
      await chain.client.mine({ blocks: 1 })
      await sleep(seconds * 1_000, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  })()
  return async () => {
    stop.abort()
    await mining
  }
}

/** Buys a plan from a seller that is killed at a step. */
export async function runTrial({ client, step, blocks, hasKey, next }: Trial): Promise<Verdict> {
  const chain = await startChain()
  const folder = await temporaryFolder()
  const isLate = blocks === 45
  const settings = settingsOver(chain, isLate ? { confirmTimeoutMs: 300, reconcileMs: 100 } : {})
  const account = await chain.payer(FUNDS)
  await chain.client.setAutomine(false)
  let stopMining = isLate ? async () => {} : mineEvery(chain, blocks)
  const options = { settings, mpp: client === 'mppx' }
  let seller = await startSeller(folder.dir, { ...options, step })
  try {
    const token = await registerAgent(seller)
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (hasKey) headers['idempotency-key'] = 'order-1'
    const began = performance.now()
    let calls = 0
    /** Makes one call, and returns true if the agent has its plan. The seller is started again if it was killed. */
    const call = async (isPurchase: boolean): Promise<boolean> => {
      if (performance.now() - began > PATIENCE_MS) throw new Error('the agent lost its patience')
      calls += 1
      if (!isRunning(seller)) seller = await startSeller(folder.dir, options)
      if (isLate && calls === LATE_ANSWERS + 1) stopMining = mineEvery(chain, 0.2)
      try {
        if (!isPurchase) return (await callsLeft(seller, token)).length > 0
        const answer = await buyWith(client, account, `${seller.url}/plans/pack-1000/purchase`, { ...headers })
        await answer.text()
        return answer.status === 200
      } catch {
        // The seller was killed, or is about to be seen as ended.
        await Promise.race([seller.ended, sleep(PAUSE_MS)])
        return false
      }
    }
    const spent = async () => FUNDS - (await chain.balanceOf(account.address))
    /** True if no transaction waits for a block, so that nothing more can be charged. */
    const isQuiet = async () => {
      const { pending } = await chain.client.getTxpoolStatus()
      return pending === 0
    }
    let has = await call(true)
    while (!has) {
      await sleep(PAUSE_MS)
      has = await call(next === 'retries')
      // An agent that never paid may look for ever.
      if (!has && next === 'looks' && calls > LATE_ANSWERS + 1 && (await isQuiet()) && (await spent()) === 0n) break
    }
    return await reckoning()

    /** Counts what is left when everything has come to rest, from the disk. */
    async function reckoning(): Promise<Verdict> {
      await stopSeller(seller)
      await stopMining()
      await chain.client.mine({ blocks: 2 })
      const { bought: plans, problems, unfulfilled } = await examineSales(folder.dir)
      return { paid: Number(await spent()) / Number(PLAN_PRICE), plans, calls, problems: [...problems, ...unfulfilled] }
    }
  } finally {
    await stopSeller(seller)
    await stopMining()
    await folder.remove()
    await chain.close()
  }
}
