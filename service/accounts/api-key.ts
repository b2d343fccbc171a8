import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const PREFIX = 'asof_'
const SECRET_BYTES = 32
const form = /^asof_[A-Za-z0-9_-]{43}$/

/** Generates a secret of 256 random bits. Its owner sees it once; only its hash is stored. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
}

/** True if a text has the format of a secret. */
export function looksLikeSecret(text: string): boolean {
  return form.test(text)
}

/** Returns the SHA-256 of a secret in hex, which is stored instead of it. For 256 random bits a fast hash is secure. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares two texts of any lengths in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** Compares two results of {@link hashOf} in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]
  return left.length === right.length && timingSafeEqual(left, right)
}
