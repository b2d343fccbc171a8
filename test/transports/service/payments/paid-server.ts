import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { LocalAccount } from 'viem'
import type { PaymentLimits } from '../../../../transports/service/accounts/index.ts'
import {
  openPayments,
  PaymentLedger,
  type PaymentOffer,
  type PaymentSettings,
  type Payments,
  paymentDefaults,
  type RegionSource,
} from '../../../../transports/service/payments/index.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../http/running-server.ts'
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
  /** What was told of failures behind answers. */
  troubles: unknown[]
  /** The offer for a search. */
  offer(path?: string): Promise<PaymentOffer>
}

export interface PaidServerOptions extends ServerOptions {
  /** Default: a wallet of the server. */
  settings?: PaymentSettings
  /** Default: one of its own. */
  ledger?: PaymentLedger
  /** Default: every region is served. */
  regions?: RegionSource
  /** Default: none that a test would meet. */
  limits?: PaymentLimits
  /** Takes payments otherwise than the settings say. */
  wrap?: (payments: Payments) => Payments
}

/** Payments for whose requests something is done once they have run, before they are charged. */
export function afterRunning(act: (isTooLate: () => boolean) => unknown): (payments: Payments) => Payments {
  return payments => ({
    ...payments,
    charge: call =>
      payments.charge({
        ...call,
        run: async request => {
          const answer = await call.run(request)
          await act(call.isTooLate)
          return answer
        },
      }),
  })
}

/** Settings of a wallet of this process over a local chain, with patience for any machine. */
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

/** A real server that sells searches of a small index on a local chain. */
export async function startPaidServer(chain: LocalChain, options: PaidServerOptions = {}): Promise<PaidServer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-paid-'))
  const ledger = options.ledger ?? (await PaymentLedger.open(path.join(dir, 'payments')))
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
    ...{ payments, ledger, troubles },
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

/** `fetch` as the official client does it: an offer is paid, and the request repeated. */
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
