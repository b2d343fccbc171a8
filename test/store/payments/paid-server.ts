import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { LocalAccount } from 'viem'
import type { PaymentLimits } from '../../../service/accounts/index.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import {
  openPayments,
  PaymentLedger,
  type PaymentOffer,
  type PaymentSettings,
  type Payments,
  paymentDefaults,
  type RegionSource,
} from '../../../store/payments/index.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../transports/http/running-server.ts'
import { type LocalChain, SETTLER_KEY } from './local-chain.ts'

export const PRICE = 10_000n

export const captures = [
  { url: 'https://example.com/tea', html: '<title>Tea</title><p>Green tea and black tea, brewed at home.</p>' },
  { url: 'https://example.com/cups', title: 'Cups', text: 'Old cups.', acquiredAt: '2025-01-10' },
  { url: 'https://example.com/cups', title: 'Cups', text: 'New cups.', acquiredAt: '2025-06-10' },
  { url: 'https://example.com/coffee', html: '<title>Coffee</title><p>Coffee, ground and brewed.</p>' },
]

export interface PaidServer extends RunningServer {
  payments: Payments
  ledger: PaymentLedger
  /** Failures that did not prevent an answer. */
  troubles: unknown[]
  /** Returns the offer for a search. */
  offer(path?: string): Promise<PaymentOffer>
}

export interface PaidServerOptions extends ServerOptions {
  /** Default: a wallet of the server. */
  settings?: PaymentSettings
  /** Default: a new ledger. */
  ledger?: PaymentLedger
  /** Default: every region is served. */
  regions?: RegionSource
  /** Default: limits so high that no test reaches them. */
  limits?: PaymentLimits
  /** Changes how payments are taken. */
  wrap?: (payments: Payments) => Payments
}

/** Wraps payments so that `act` runs after each request has run, before it is charged. */
export function afterRunning(act: (isTooLate: () => boolean) => unknown): (payments: Payments) => Payments {
  return payments => {
    const charge = payments.calls.charge.bind(payments.calls)
    payments.calls.charge = call =>
      charge({
        ...call,
        run: async request => {
          const answer = await call.run(request)
          await act(call.isTooLate)
          return answer
        },
      })
    return payments
  }
}

/** Settings of a wallet in this process over a local chain, with time limits for slow machines. */
export function settingsOver(chain: LocalChain, changes: Partial<PaymentSettings> = {}): PaymentSettings {
  const { network, asset, assetName, assetVersion, price, maxTimeoutSeconds } = paymentDefaults
  return {
    terms: { network, asset, assetName, assetVersion, price, maxTimeoutSeconds, payTo: chain.payTo },
    wallet: { privateKey: SETTLER_KEY, maxFeePerGas: 10n ** 10n },
    rpcUrl: chain.rpcUrl,
    confirmations: 1,
    confirmTimeoutMs: 30_000,
    reconcileMs: 30_000,
    ...changes,
  }
}

/** Starts a server that sells searches of a small index on a local chain. */
export async function startPaidServer(chain: LocalChain, options: PaidServerOptions = {}): Promise<PaidServer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-paid-'))
  const ledger = options.ledger ?? (await PaymentLedger.open(await JournalRecords.open(path.join(dir, 'payments'))))
  const troubles: unknown[] = []
  const opened = await openPayments({
    settings: options.settings ?? settingsOver(chain),
    ledger,
    now: Date.now,
    limits: options.limits ?? { perSecondByAddress: 1_000_000, perSecondByWallet: 1_000_000 },
    onFailure: failure => troubles.push(failure),
    regions: options.regions ?? 'off',
  })
  const payments = options.wrap?.(opened) ?? opened
  const server = await startServer({ captures, ...options, http: { payments, ...options.http } })
  return {
    ...server,
    payments,
    ledger,
    troubles,
    offer: async (path = '/v1/x402/search?query=tea') =>
      (await (await fetch(server.url + path)).json()) as PaymentOffer,
    close: async () => {
      await server.close()
      await payments.close()
      if (!options.ledger) await ledger.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Returns the `fetch` of the official client, which pays an offer and repeats the request. */
export function buyer(account: LocalAccount): typeof fetch {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

export interface Receipt {
  success: boolean
  transaction: `0x${string}`
  network: string
  payer?: string
  errorReason?: string
}

export function receiptOf({ headers }: Response): Receipt {
  return decodePaymentResponseHeader(headers.get('payment-response')!) as Receipt
}
