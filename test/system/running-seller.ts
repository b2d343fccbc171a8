import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Access, examineAccounts } from '../../service/accounts/index.ts'
import type { PaymentSettings } from '../../store/payments/index.ts'
import { examinePurchases, type PurchasesExamination } from '../../store/purchases/index.ts'

/** A process that sells plans or searches, see `plan-seller.ts` and `payment-seller.ts`. */
export interface Seller {
  url: string
  /** Resolves when the process has ended. */
  ended: Promise<unknown>
}

const running = new Map<Seller, ChildProcess>()

export interface SellerOptions {
  settings: PaymentSettings
  /** Where it kills itself. Default: nowhere. */
  step?: string
  /** True if it sells by MPP, too. */
  mpp?: boolean
  /** The base URL of Stripe's API. Default: it does not sell by card. */
  stripe?: string
}

/** Starts a seller of the plans of a data folder. */
export async function startSeller(dir: string, { settings, step = '', mpp, stripe }: SellerOptions): Promise<Seller> {
  const { wallet, ...rest } = settings
  const json = JSON.stringify({
    ...rest,
    wallet: { ...wallet, maxFeePerGas: String(wallet?.maxFeePerGas) },
    mpp: mpp && { secretKey: 'a test secret of more than thirty-two bytes', realm: 'asof.test' },
    card: stripe && {
      secretKey: 'sk_test_1',
      webhookSecret: 'whsec_test',
      networkId: 'profile_test',
      apiBase: stripe,
    },
  })
  return await spawnSeller('plan-seller.ts', [dir, json, step])
}

/** Starts a seller, by its script in this folder, and returns when it listens. */
export async function spawnSeller(script: string, args: readonly string[]): Promise<Seller> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = once(child, 'close')
  for await (const url of createInterface({ input: child.stdout! })) {
    const seller = { url, ended }
    running.set(seller, child)
    void ended.then(() => running.delete(seller))
    return seller
  }
  throw new Error('the seller ended before it listened')
}

/** Makes a seller kill itself when it reaches a step from now on. */
export async function killAt(seller: Seller, step: string): Promise<void> {
  const child = running.get(seller)
  if (!child) throw new Error('the seller has ended')
  const ready = once(child, 'message')
  child.send(step)
  await ready
}

/** True until the process of a seller has ended. */
export function isRunning(seller: Seller): boolean {
  return running.has(seller)
}

/** Kills a seller, if it runs. */
export async function stopSeller(seller: Seller): Promise<void> {
  running.get(seller)?.kill('SIGKILL')
  await seller.ended
}

/** Kills the sellers that a failed test left behind. */
export function stopSellers(): void {
  for (const child of running.values()) child.kill('SIGKILL')
}

/**
 * Returns what `read` finds in a copy of the folder of a seller that runs. No request may be running: the copy then has what a kill at
 * this moment would leave.
 */
export async function asIfKilled<T>(dir: string, read: (copy: string) => Promise<T>): Promise<T> {
  const copy = `${dir}-copy`
  try {
    await cp(dir, copy, { recursive: true, filter: file => !file.endsWith('.sock') })
    return await read(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Reads the plans of all agents from the disk, and checks that each receipt has its plan and that the accounts add up. */
export async function examineSales(dir: string): Promise<PurchasesExamination> {
  const accounts = path.join(dir, 'access')
  const { sound, problems } = await examineAccounts(accounts)
  if (!sound) throw new Error(`the accounts are damaged: ${problems.join(', ')}`)
  const access = await Access.open(accounts, { now: Date.now })
  try {
    return await examinePurchases(dir, payment => access.grantOf(payment))
  } finally {
    await access.close()
  }
}

/** Registers an agent, and returns its token. */
export async function registerAgent({ url }: Seller): Promise<string> {
  const answer = await fetch(`${url}/storefront/agents`, { method: 'POST' })
  return ((await answer.json()) as { token: string }).token
}

/** The plans of an agent, each as the number of calls that are left. */
export async function callsLeft({ url }: Seller, token: string): Promise<number[]> {
  const answer = await fetch(`${url}/storefront/agents/me`, { headers: { authorization: `Bearer ${token}` } })
  const { plans } = (await answer.json()) as { plans: { units_left: number }[] }
  return plans.map(({ units_left }) => units_left)
}
