import type { DataFolder, FolderPart, OpenedPart, OwnLedger, PartPlace } from '../../service/data-folder/index.ts'
import type { PaymentActName } from '../payments/payment-acts.ts'
import type { Payments } from '../payments/payments.ts'
import type { Purchases } from '../purchases/index.ts'
import type { WalletProof } from '../wallet-proof/index.ts'
import { type PaymentDays, PaymentFolder, type PaymentSetup } from './payment-folder.ts'
import { ProofFolder } from './proof-folder.ts'
import { PurchaseFolder, type PurchaseSetup } from './purchase-folder.ts'

/** How a store is paid. */
export interface StoreSetup {
  /** How payments are taken. Default: payments are not taken. */
  payments?: PaymentSetup | undefined
  /** How plans are sold by MPP and by card. Default: they are sold only by x402, and only if payments are taken. */
  purchases?: PurchaseSetup | undefined
}

/** What a store keeps in a data folder: payments, purchases and used proofs of wallets. */
export class StoreFolder implements OpenedPart {
  readonly #payments: PaymentFolder
  readonly #purchases: PurchaseFolder
  readonly #proofs: ProofFolder

  constructor(place: PartPlace, { payments, purchases }: StoreSetup) {
    this.#payments = new PaymentFolder(place, payments)
    this.#purchases = new PurchaseFolder(place, purchases)
    this.#proofs = new ProofFolder(place, payments, purchases?.mpp)
  }

  readonly operations: OpenedPart['operations'] = {
    payments: ([act, input]: readonly [PaymentActName, unknown]) => this.#payments.act(act, input),
    exportPayments: ([days]: readonly [PaymentDays], { onProgress, signal }) =>
      this.#payments.export(days, onProgress, signal),
  }

  /**
   * Starts taking payments. Returns undefined if the store was set up without `payments`. May be called only once.
   *
   * @throws ASOF_INVALID_OPTION - `payments.regions` is missing or cannot be used.
   * @throws ServiceError invalid_request - with these settings no payment could ever succeed.
   */
  takePayments(): Promise<Payments | undefined> {
    return this.#payments.start()
  }

  /**
   * Starts selling plans. Returns undefined if there is no way to pay for them. May be called only once.
   *
   * @param payments - the result of {@link takePayments}.
   * @throws ASOF_PACKAGE_MISSING - mppx or stripe is needed and not installed.
   */
  sellPlans(payments: Payments | undefined): Promise<Purchases | undefined> {
    return this.#purchases.start(payments)
  }

  /**
   * Starts checking that callers who ask for a quote have a wallet. Returns undefined if the store was set up without
   * `payments` or without `purchases.mpp`. May be called only once.
   *
   * @throws ASOF_PACKAGE_MISSING - mppx is not installed.
   */
  checkWallets(): Promise<WalletProof | undefined> {
    return this.#proofs.start()
  }

  async ledgers(): Promise<OwnLedger[]> {
    const ledgers = [await this.#purchases.openOwn(), await this.#payments.openOwn()]
    return ledgers.filter(ledger => ledger !== undefined)
  }

  async close(): Promise<void> {
    await this.#proofs.close()
    await this.#purchases.close()
    await this.#payments.close()
  }
}

/** Returns the part that a store adds to a data folder, for the option `parts` of `openDataFolder`. */
export function storePart(setup: StoreSetup = {}): FolderPart<StoreFolder> {
  return { open: place => new StoreFolder(place, setup) }
}

/** Performs an act on the payments of a data folder that was opened with {@link storePart}, see `paymentActs`. */
export async function performPaymentAct(folder: DataFolder, act: PaymentActName, input: unknown): Promise<object> {
  return (await folder.operate('payments', [act, input])) as object
}

/**
 * Passes the payments of the given days to `onPayment`, oldest first, with the names of the wire. Stops when the signal
 * aborts.
 */
export async function exportPaymentsOf(
  folder: DataFolder,
  days: PaymentDays,
  onPayment: (payment: object) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  await folder.operate('exportPayments', [days], { onProgress: payment => onPayment(payment as object), signal })
}
