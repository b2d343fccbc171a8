import { optionsReader } from '@asof/core'
import { createPaymentLimits, type LimitStanding, type PaymentLimits } from '../accounts/index.ts'
import { ServiceError } from '../index.ts'
import { Chain, clientOf } from './chain.ts'
import { FacilitatorSettler } from './facilitator-settler.ts'
import { optionOf, type PaymentOffer, type PaymentOption } from './offer.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import { PaymentProblem } from './payment-problem.ts'
import { type Charged, type PaidCall, PaymentProcessor } from './payment-processor.ts'
import { chainIdOf, type PaymentSettings, type PaymentTerms, paymentDefaults } from './payment-settings.ts'
import type { PaymentTally } from './payment-tally.ts'
import { Reconciler, type SweepReport } from './reconciler.ts'
import {
  checkRegionSource,
  type Place,
  placeOf,
  type RegionHeaders,
  type RegionSource,
  refuseRegion,
} from './region.ts'
import { SettlementWallet } from './settlement-wallet.ts'
import { paymentsUnavailable, type Settler } from './settler.ts'
import { StartCheck } from './start-check.ts'
import { WalletSettler } from './wallet-settler.ts'

export interface PaymentParts {
  settings: PaymentSettings
  ledger: PaymentLedger
  /** Where the places of callers come from. Required: without it nobody would be refused for their region (451). */
  regions: RegionSource
  /** Calls a second. Default: 20 of an address, paid or not, and 10 paid ones of a wallet (spec part 8). */
  limits?: PaymentLimits
  /** Epoch ms; of the ledger, and of whether an authorization is valid. */
  now: () => number
  /** Told of what went wrong and stopped nothing. */
  onFailure: (failure: unknown) => void
}

const readParts = optionsReader<PaymentParts>(
  {
    settings: 'object',
    ledger: 'object',
    regions: 'string or object',
    limits: 'object',
    now: 'function',
    onFailure: 'function',
  },
  { required: ['settings', 'ledger', 'now', 'onFailure'] },
)

/** A description of what is sold, for offers. */
export interface PaidResource {
  url: string
  description: string
}

/** Payments by x402, as whatever carries the calls sees them. */
export interface Payments {
  /** The headers of a trusted proxy whose values `checkRegion` takes as `told`; absent if there are none. */
  readonly regionHeaders?: RegionHeaders
  /**
   * Refuses callers from where payments are not offered.
   *
   * @param told - what a trusted proxy states about the caller's place; it goes before the database.
   * @throws ServiceError unavailable_region
   */
  checkRegion(address: string, told?: Place): void
  /** Counts a call, paid or not, against its address's limit. */
  countCall(address: string): Promise<LimitStanding>
  /** @throws ServiceError payments_unavailable */
  ready(): Promise<void>
  /** @param error - why the call was not good enough. Default: it had no payment. */
  offer(resource: PaidResource, error?: string): PaymentOffer
  /** See `PaymentProcessor.charge`. */
  charge<Request extends object, Answer>(call: PaidCall<Request, Answer>): Promise<Charged<Answer>>
  /** Asks the chain about the payments in doubt. @throws ServiceError payments_unavailable - there is no node to ask. */
  reconcile(): Promise<SweepReport>
  /** What became of payments in this process, for whoever watches. */
  readonly tally: PaymentTally
  /** Ends the work in the background. The ledger stays open. */
  close(): Promise<void>
}

/** A configuration that can't work: nobody could pay. */
function misconfigured(problem: string): ServiceError {
  return new ServiceError('invalid_request', `payments can't be taken: ${problem}`)
}

async function checkChain(chain: Chain, terms: PaymentTerms): Promise<void> {
  const problem = await chain.problemWith(terms)
  if (problem !== undefined) throw misconfigured(problem)
}

interface Built {
  settler: Settler
  chain: Chain | undefined
}

function build(settings: PaymentSettings, option: PaymentOption, now: () => number): Built {
  const { terms, rpcUrl, confirmations, confirmTimeoutMs } = settings
  const client = rpcUrl === undefined ? undefined : clientOf(rpcUrl)
  const chain = client && new Chain(client, confirmations)
  if (settings.facilitator) {
    const settler = new FacilitatorSettler(option, settings.facilitator, { timeoutMs: confirmTimeoutMs, now })
    return { settler, chain }
  }
  if (!settings.wallet || !client || !chain || rpcUrl === undefined) {
    throw misconfigured('neither a facilitator nor a wallet with a node is set')
  }
  const wallet = new SettlementWallet(rpcUrl, chainIdOf(terms.network)!, settings.wallet)
  let known = false
  const startCheck = new StartCheck(async () => {
    if (!known) await checkChain(chain, terms)
    known = true
    const problem = await wallet.problem()
    if (problem !== undefined) throw new PaymentProblem(problem)
  }, now)
  return { settler: new WalletSettler({ option, wallet, client, confirmTimeoutMs, confirmations, startCheck }), chain }
}

/**
 * Starts taking payments.
 *
 * @throws TypeError - `regions` names no source, or headers without one for the subdivision.
 * @throws ServiceError invalid_request - the node or facilitator answered, and no payment could ever be good. One that
 *   does not answer is told to `onFailure`, and asked again when somebody wants to pay.
 * @throws ASOF_INVALID_OPTION - a part that is unknown, not given or of another type.
 */
export async function openPayments(parts: PaymentParts): Promise<Payments> {
  const { settings, ledger, now, onFailure, regions, limits: perSecond = paymentDefaults.limits } = readParts(parts)
  checkRegionSource(regions)
  const { terms, reconcileMs } = settings
  const option = optionOf(terms)
  const { settler, chain } = build(settings, option, now)
  try {
    if (chain) await checkChain(chain, terms)
    await settler.ready()
  } catch (failure) {
    if (failure instanceof ServiceError && failure.kind === 'invalid_request') throw failure
    onFailure(failure)
  }
  const limits = createPaymentLimits(perSecond)
  const reconciler = new Reconciler(ledger, chain, now)
  const processor = new PaymentProcessor({
    ...{ option, ledger, settler, chain, reconciler, reconcileMs, now, onFailure },
    limitWallet: limits.byWallet,
  })
  reconciler.start(onFailure)
  return {
    ...(regions !== 'off' && regions.headers && { regionHeaders: regions.headers }),
    checkRegion: (address, told) => {
      if (regions !== 'off') refuseRegion(placeOf(address, told, regions))
    },
    countCall: limits.byAddress,
    ready: () => settler.ready(),
    offer: (resource, error = 'Payment required') => ({
      x402Version: 2,
      error,
      resource: { ...resource, mimeType: 'application/json' },
      accepts: [option],
    }),
    charge: call => processor.charge(call),
    reconcile: async () => {
      if (!reconciler.hasChain)
        throw paymentsUnavailable(new PaymentProblem('set X402_RPC_URL: there is no node to ask'))
      return await reconciler.sweep()
    },
    tally: ledger.tally,
    close: () => reconciler.close(),
  }
}
