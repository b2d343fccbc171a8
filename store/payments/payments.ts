import { optionsReader } from '@asof/extract/errors'
import { createPaymentLimits, type LimitStanding, type PaymentLimits } from '../../service/accounts/index.ts'
import { type CreateWindow, ServiceError } from '../../service/index.ts'
import { Chain, nodeClient } from './chain.ts'
import { FacilitatorSettler } from './facilitator-settler.ts'
import { optionOf, type PaymentOption } from './offer.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import { PaymentProcessor } from './payment-processor.ts'
import { chainIdOf, type PaymentSettings, type PaymentTerms, paymentDefaults } from './payment-settings.ts'
import type { PaymentTally } from './payment-tally.ts'
import { ReceiptSigner } from './receipt-signer.ts'
import { Reconciler, type SweepReport } from './reconciler.ts'
import {
  type CallerLocation,
  checkRegionSource,
  locationOf,
  type RegionHeaders,
  type RegionSource,
  refuseRegion,
} from './region.ts'
import { SettlementWallet } from './settlement-wallet.ts'
import { paymentsUnavailable, type Settler } from './settler.ts'
import { WalletSettler } from './wallet-settler.ts'

/** What taking payments needs. */
export interface PaymentParts {
  settings: PaymentSettings
  /** Where payments are stored, such as {@link LevelPayments}. It stays open when the payments are closed. */
  ledger: PaymentLedger
  /** The source of callers' locations. Required, because callers from some regions must be rejected (451). */
  regions: RegionSource
  /**
   * Maximum calls per second. Default (spec part 8): 20 calls from one address, paid or not, and 10 calls that one wallet pays
   * for.
   */
  limits?: PaymentLimits
  /** Makes the counts of these limits. Default: this process counts alone. */
  createWindow?: CreateWindow | undefined
  /** The current time, epoch ms. */
  now: () => number
  /** Called with failures that did not prevent an answer. */
  onFailure: (failure: unknown) => void
}

const readParts = optionsReader<PaymentParts>(
  {
    settings: 'object',
    ledger: 'object',
    regions: 'string or object',
    limits: 'object',
    createWindow: 'function',
    now: 'function',
    onFailure: 'function',
  },
  { required: ['settings', 'ledger', 'now', 'onFailure'] },
)

/** Payments by x402, for any transport. */
export interface Payments {
  /** Takes the payments of single requests. */
  readonly calls: PaymentProcessor
  /**
   * Returns a processor of payments at another price. It shares the wallet, the ledger and the rate limits with `calls`.
   *
   * @param price - in the token's smallest unit, decimal digits.
   */
  at(price: string): PaymentProcessor
  /**
   * The names of the headers in which a trusted proxy sends the caller's location, for `checkRegion`. Absent if no proxy sends
   * it.
   */
  readonly regionHeaders?: RegionHeaders
  /**
   * Rejects callers from regions where payments are not offered.
   *
   * @param stated - the location that a trusted proxy sent; it takes precedence over the database.
   * @throws ServiceError unavailable_region
   */
  checkRegion(address: string, stated?: CallerLocation): void
  /** Counts a call, with or without a payment, towards the rate limit of its address. */
  countCall(address: string): Promise<LimitStanding>
  /** Resolves if payments can be taken. @throws ServiceError payments_unavailable */
  ready(): Promise<void>
  /** Asks the chain about the undecided payments. @throws ServiceError payments_unavailable */
  reconcile(): Promise<SweepReport>
  /** Signs receipts of what was delivered for payments. */
  readonly receipts: ReceiptSigner
  /** Counts of the payments in this process, for metrics. */
  readonly tally: PaymentTally
  /** Stops the background work. The ledger stays open. */
  close(): Promise<void>
}

/** Returns the error for settings with which no payment could ever settle. */
function misconfigured(problem: string): ServiceError {
  return new ServiceError('invalid_request', `payments can't be taken: ${problem}`)
}

async function checkChain(chain: Chain, terms: PaymentTerms): Promise<void> {
  const problem = await chain.problemWith(terms)
  if (problem !== undefined) throw misconfigured(problem)
}

/** Time after a successful check until the check runs again in the background. */
const GOOD_MS = 15_000
/** Time after a failed check until the check runs again. */
const RETRY_MS = 1_000

/**
 * A check that must pass before payments are offered. The check runs on the first call, and again when its result is old, but
 * never twice at a time. If it passed, it still counts as passed while it runs again.
 */
class StartCheck {
  readonly #check: () => Promise<void>
  readonly #now: () => number
  #running: Promise<void> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #passed = false

  /** @param check - rejects with the reason why nobody can pay. */
  constructor(check: () => Promise<void>, now: () => number) {
    this.#check = check
    this.#now = now
  }

  /** @throws ServiceError payments_unavailable */
  async passed(): Promise<void> {
    const age = this.#now() - this.#checkedAt
    if (this.#passed) {
      if (age >= GOOD_MS) void this.#run()
      return
    }
    if (age >= RETRY_MS || this.#running) await this.#run()
    if (!this.#passed) throw paymentsUnavailable(this.#failure)
  }

  #run(): Promise<void> {
    this.#running ??= this.#once().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #once(): Promise<void> {
    try {
      await this.#check()
      this.#passed = true
    } catch (failure) {
      this.#failure = failure
      this.#passed = false
    }
    this.#checkedAt = this.#now()
  }
}

interface Built {
  /** Creates the settler of one price. All settlers share one wallet. */
  settlerOf: (option: PaymentOption) => Settler
  chain: Chain
}

function build(settings: PaymentSettings, ledger: PaymentLedger): Built {
  const { terms, rpcUrl, confirmations, confirmTimeoutMs, facilitator } = settings
  if (rpcUrl === undefined)
    throw misconfigured('set rpcUrl, since only the chain has the outcome of a payment whose answer was lost')
  const client = nodeClient(rpcUrl)
  const chain = new Chain(client, confirmations)
  if (facilitator) return { settlerOf: option => new FacilitatorSettler(option, facilitator, confirmTimeoutMs), chain }
  if (!settings.wallet) throw misconfigured('set either facilitator or wallet')
  const chainId = chainIdOf(terms.network)
  if (chainId === undefined) throw misconfigured(`${terms.network} is not an EVM chain`)
  const wallet = new SettlementWallet(rpcUrl, chainId, settings.wallet, ledger.sendAlone)
  const shared = { chainId, wallet, client, confirmTimeoutMs, confirmations }
  return { settlerOf: option => new WalletSettler({ option, ...shared }), chain }
}

/** Starts taking payments. `openPayments` loads this file only after it has found that the optional packages are installed. */
export async function startPayments(parts: PaymentParts): Promise<Payments> {
  const {
    settings,
    ledger,
    now,
    onFailure,
    regions,
    createWindow,
    limits: perSecond = paymentDefaults.limits,
  } = readParts(parts)
  checkRegionSource(regions)
  const { terms, reconcileMs } = settings
  const option = optionOf(terms)
  const { settlerOf, chain } = build(settings, ledger)
  const settler = settlerOf(option)
  let isChainChecked = false
  const checkTerms = async () => {
    if (!isChainChecked) await checkChain(chain, terms)
    isChainChecked = true
  }
  const startCheck = new StartCheck(async () => {
    await checkTerms()
    await settler.checkReady()
  }, now)
  try {
    await checkTerms()
    await startCheck.passed()
  } catch (failure) {
    if (failure instanceof ServiceError && failure.kind === 'invalid_request') throw failure
    onFailure(failure)
  }
  const limits = createPaymentLimits(perSecond, createWindow)
  const reconciler = new Reconciler(ledger, chain, now)
  const processorOf = (option: PaymentOption, settler: Settler): PaymentProcessor =>
    new PaymentProcessor({
      option,
      ledger,
      settler,
      chain,
      reconciler,
      reconcileMs,
      now,
      onFailure,
      limitWallet: limits.byWallet,
    })
  reconciler.start(onFailure)
  return {
    regionHeaders: regions === 'off' ? undefined : regions.headers,
    checkRegion: (address, stated) => {
      if (regions !== 'off') refuseRegion(locationOf(address, stated, regions))
    },
    countCall: limits.byAddress,
    ready: () => startCheck.passed(),
    calls: processorOf(option, settler),
    at: price => {
      const priced = { ...option, amount: price }
      return processorOf(priced, settlerOf(priced))
    },
    receipts: await ReceiptSigner.fromSeed(ledger.receiptSeed()),
    reconcile: () => reconciler.sweep(),
    tally: ledger.tally,
    close: () => reconciler.close(),
  }
}
