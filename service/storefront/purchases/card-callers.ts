import type { PaymentHeaders } from './settlement.ts'

/** Returns true if a caller pays by card, or can pay by nothing else. */
export function asksForCard({ credential, accepts }: PaymentHeaders): boolean {
  if (credential !== undefined) return methodOf(credential) === 'stripe'
  const methods = accepts?.split(',').map(range => range.trim()) ?? []
  return methods.length > 0 && methods.every(range => range.startsWith('stripe/'))
}

/** Returns the method of an MPP credential without the library, which may not be installed. */
function methodOf(credential: string): unknown {
  try {
    const { challenge } = JSON.parse(Buffer.from(credential.replace(/^payment +/i, ''), 'base64url').toString())
    return challenge.method
  } catch {
    return undefined
  }
}
