import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { SharedDatabase } from '../../../database/index.ts'
import { Access, type Plan } from '../../../service/accounts/index.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { PostgresRecords } from '../../../service/records/postgres-records.ts'
import { openPayments, PaymentLedger, type PaymentSettings, type Payments } from '../../../store/payments/index.ts'
import {
  openPurchases,
  type PlanAccess,
  PurchaseLedger,
  type PurchaseOptions,
  type Purchases,
} from '../../../store/purchases/index.ts'
import type { HttpSettings } from '../../../transports/http/index.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../transports/http/running-server.ts'
import type { LocalChain } from '../payments/local-chain.ts'
import { settingsOver } from '../payments/paid-server.ts'

/** The price of the plan `pack-1000` in USDC's smallest unit. */
export const PLAN_PRICE = 4_000_000n
/** What a buyer in these tests has at first. */
export const FUNDS = 10_000_000n

export interface PlanShop extends RunningServer {
  dir: string
  purchases: Purchases
  /** Registers an agent, and returns its token. */
  agent(): Promise<{ id: string; token: string }>
  /** Sends a purchase. */
  buy(token: string | undefined, headers?: Record<string, string>, plan?: string): Promise<Response>
  /** The plans of an agent. */
  grants(agent: string): Promise<unknown[]>
}

export interface PlanShopOptions extends ServerOptions {
  /** Changes how plans are granted. */
  wrapAccess?: (access: PlanAccess) => Partial<PlanAccess>
  /** Changes how payments are taken. */
  wrapPayments?: (payments: Payments) => Payments
  /** Changes of the settings of purchases. */
  changes?: Partial<PurchaseOptions>
  /** Changes of the settings of payments. */
  payments?: Partial<PaymentSettings>
  /** The plans for sale. Default: the built-in ones. */
  plans?: readonly Plan[]
  /** Default true. */
  takesTransfers?: boolean
  /** A folder of an earlier shop, to continue with its records. */
  dir?: string
  /** The database that several shops share. Default: the records are in the folder. */
  database?: SharedDatabase
}

/** Starts a server that sells plans on a local chain. */
export async function startPlanShop(chain: LocalChain, options: PlanShopOptions = {}): Promise<PlanShop> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), 'asof-plans-')))
  const { database, plans: sold } = options
  const terms = { now: Date.now, plans: sold }
  const access = database ? await Access.connect(database, terms) : await Access.open(path.join(dir, 'accounts'), terms)
  const recordsOf = async (name: string) =>
    database ? new PostgresRecords(database) : await JournalRecords.open(path.join(dir, name))
  const payLedger = await PaymentLedger.open(await recordsOf('payments'))
  const opened = await openPayments({
    settings: settingsOver(chain, options.payments),
    ledger: payLedger,
    now: Date.now,
    limits: { perSecondByAddress: 1_000_000, perSecondByWallet: 1_000_000 },
    onFailure: () => {},
    regions: 'off',
  })
  const payments = options.wrapPayments?.(opened) ?? opened
  const ledger = await PurchaseLedger.open(await recordsOf('purchases'))
  const plans: PlanAccess = {
    plans: access.plans,
    checkRoom: agent => access.checkRoom(agent),
    isUsable: payment => access.isUsable(payment),
    grantPlan: (...given) => access.grantPlan(...given),
    refundPlan: (...given) => access.refundPlan(...given),
  }
  const purchases = await openPurchases({
    access: { ...plans, ...options.wrapAccess?.(plans) },
    ledger,
    now: Date.now,
    onFailure: () => {},
    payments: options.takesTransfers === false ? undefined : payments,
    mpp: { secretKey: 'a test secret of more than thirty-two bytes', realm: 'asof.test' },
    ...options.changes,
  })
  const http: HttpSettings = { access, payments, purchases, ...options.http }
  const server = await startServer({ ...options, http })
  return {
    ...server,
    dir,
    purchases,
    access,
    agent: async () => {
      const { agent, token } = await access.registerAgent()
      return { id: agent.id, token }
    },
    buy: (token, headers = {}, plan = 'pack-1000') =>
      fetch(`${server.url}/plans/${plan}/purchase`, {
        method: 'POST',
        headers: token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers },
      }),
    grants: async agent => {
      const { plans } = (await access.administer('agent.show', { id: agent }, 'test')) as { plans: unknown[] }
      return plans
    },
    close: async () => {
      await server.close()
      await purchases.close()
      await payments.close()
      await Promise.all([payLedger.close(), ledger.close(), access.close()])
    },
  }
}

/** Deletes the records of a shop. */
export async function deleteRecords(...shops: PlanShop[]): Promise<void> {
  for (const { dir } of shops) await rm(dir, { recursive: true, force: true })
}
