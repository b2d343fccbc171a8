import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const PREFIX = 'asof_'
const SECRET_BYTES = 32
const form = /^asof_[A-Za-z0-9_-]{43}$/

/** Generates a secret of 256 random bits. The owner gets it once; only its hash is stored. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
}

/** Returns true if a text has the format of a secret. */
export function looksLikeSecret(text: string): boolean {
  return form.test(text)
}

/** Returns the stored form of a secret: its SHA-256, in hex. A fast hash is enough for 256 random bits. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares two texts in constant time, whatever their lengths. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** Compares two results of {@link hashOf} in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]
  return left.length === right.length && timingSafeEqual(left, right)
}
