import type { PaymentRecord, PaymentState } from './payment-record.ts'

/** A count, with labels for a metric. Each label has few different values. */
export interface PaymentCount<Label extends string = string> {
  labels: Record<Label, string>
  value: number
}

class Counts<Label extends string> {
  readonly #counts = new Map<string, PaymentCount<Label>>()

  add(labels: Record<Label, string>, by = 1): void {
    const key = Object.values(labels).join(' ')
    const count = this.#counts.get(key)
    if (count) count.value += by
    else this.#counts.set(key, { labels, value: by })
  }

  all(): PaymentCount<Label>[] {
    return [...this.#counts.values()]
  }
}

/** Reasons that may be labels. All others count as `other`, since a facilitator or node may send any text. */
const reasons = new Set([
  'asset_not_deployed_contract',
  'authorization_expired',
  'authorization_spent',
  'eip6492_factory_not_allowed',
  'interrupted',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_transaction_failed',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_exact_evm_transfer_event_mismatch',
  'invalid_payload',
  'invalid_payment',
  'invalid_payment_requirements',
  'payment_already_used',
  'payments_unavailable',
  'settlement_indeterminate',
  'settlement_not_on_chain',
  'settlement_pending',
])

function labelOf(reason: string): string {
  return reasons.has(reason) ? reason : 'other'
}

/** Counts of the payments of one process since its ledger was opened, for metrics. */
export class PaymentTally {
  readonly #states = new Counts<'state'>()
  readonly #amounts = new Counts<'network' | 'asset'>()
  readonly #refusals = new Counts<'reason'>()
  readonly #failures = new Counts<'state' | 'reason'>()

  constructor() {
    const all: (PaymentState | 'voided')[] = ['held', 'voided', 'settling', 'settled', 'failed', 'undecided']
    for (const state of all) this.#states.add({ state }, 0)
  }

  /** Counts a payment that entered a state. */
  entered({ state, network, asset, amount, reason = '' }: PaymentRecord): void {
    this.#states.add({ state })
    if (state === 'settled') this.#amounts.add({ network, asset }, Number(amount))
    if (state === 'failed' || state === 'undecided') this.#failures.add({ state, reason: labelOf(reason) })
  }

  /** Counts a held payment that was not charged. */
  voided(): void {
    this.#states.add({ state: 'voided' })
  }

  /** Counts a payment that was refused, because it is invalid or could not be verified. */
  refused(reason: string): void {
    this.#refusals.add({ reason: labelOf(reason) })
  }

  /** Number of payments that entered each state. A payment enters several. */
  get states(): PaymentCount<'state'>[] {
    return this.#states.all()
  }

  /** Settled amounts, in the smallest unit of each token. */
  get settledAmounts(): PaymentCount<'network' | 'asset'>[] {
    return this.#amounts.all()
  }

  /** Number of payments refused before any work was done, by reason. */
  get refusals(): PaymentCount<'reason'>[] {
    return this.#refusals.all()
  }

  /** Number of payments that became `failed` or `undecided`, by reason. */
  get failures(): PaymentCount<'state' | 'reason'>[] {
    return this.#failures.all()
  }
}
