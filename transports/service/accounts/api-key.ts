import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const PREFIX = 'asof_'
const SECRET_BYTES = 32
const form = /^asof_[A-Za-z0-9_-]{43}$/

/** A new secret: 256 random bits. It is handed to its owner and kept nowhere. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
}

/** Whether a text can be one of our secrets at all. */
export function looksLikeSecret(text: string): boolean {
  return form.test(text)
}

/** What is kept of a secret: its SHA-256 in hexadecimal. Of 256 random bits nothing slower is needed. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares in constant time, whatever the lengths of the texts. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** Compares two results of {@link hashOf} in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]
  return left.length === right.length && timingSafeEqual(left, right)
}
