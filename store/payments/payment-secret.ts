import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { PaidKind } from './payment-record.ts'

const SECRET_BYTES = 32

/** The secret of a ledger of payments, which is stored with the payments. */
export class PaymentSecret {
  readonly #secret: string

  /** @param secret - hexadecimal digits. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** Returns a new secret to store. */
  static random(): string {
    return randomBytes(SECRET_BYTES).toString('hex')
  }

  /** See `PaymentLedger.fingerprint`. */
  fingerprint(kind: PaidKind, request: object): string {
    return createHmac('sha256', this.#secret)
      .update(`${kind}\n${canonical(request)}`)
      .digest('hex')
      .slice(0, 32)
  }

  /** See `PaymentLedger.receiptSeed`. */
  receiptSeed(): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#secret, '', 'asof receipts', SECRET_BYTES))
  }
}

/** Serializes a request with sorted keys, so that equal requests have equal texts. */
function canonical(request: object): string {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined)
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
