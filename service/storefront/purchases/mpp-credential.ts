import { Credential, Errors } from 'mppx'

/** A credential of MPP: the challenge that it answers, and the proof of payment. It is not verified yet. */
export type MppCredential = Credential.Credential<unknown>

/** Parses a `Payment-Authorization` header. Returns `undefined` if it is malformed. */
export function readCredential(header: string): MppCredential | undefined {
  try {
    return Credential.deserialize(header)
  } catch {
    // The caller gets a new offer with the reason `invalid_payload`.
    return undefined
  }
}

/** Returns the reason why a credential is not valid, as a term. */
export function refusalOf(error: unknown): string {
  if (error instanceof Errors.PaymentExpiredError) return 'payment_expired'
  if (error instanceof Errors.InvalidChallengeError) return 'invalid_challenge'
  if (error instanceof Errors.InvalidPayloadError) return 'invalid_payload'
  // The library also throws plain errors for malformed fields and signatures.
  return 'invalid_payment'
}
