import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * The place of a body in an object, and the key that encrypts the body. An object has bodies of many pages and may outlive some of them, also
 * in backups of the store. A body whose reference was deleted can no longer be decrypted. Layout of 56 bytes:
 *
 *   object 16, offset u32, length u32, key 16, tag 16
 */
export interface BodyReference {
  /** The name of the object, a UUID. */
  object: string
  /** Offset of the body in the object. */
  at: number
  /** Number of bytes. */
  length: number
  key: Uint8Array
  /** Authentication tag of AES-GCM: decryption fails for other or changed bytes. */
  tag: Uint8Array
}

const CIPHER = 'aes-128-gcm'
const KEY_BYTES = 16
const TAG_BYTES = 16
const NAME_BYTES = 16
const LENGTH = NAME_BYTES + 8 + KEY_BYTES + TAG_BYTES
/** Each key encrypts one body only, so the nonce can always be the same. */
const NONCE = Buffer.alloc(12)

export function encodeReference({ object, at, length, key, tag }: BodyReference): Buffer {
  const bytes = Buffer.alloc(LENGTH)
  bytes.write(object.replaceAll('-', ''), 'hex')
  bytes.writeUInt32BE(at, NAME_BYTES)
  bytes.writeUInt32BE(length, NAME_BYTES + 4)
  bytes.set(key, NAME_BYTES + 8)
  bytes.set(tag, LENGTH - TAG_BYTES)
  return bytes
}

/** Returns undefined for bytes that are no reference. */
export function decodeReference(bytes: Uint8Array): BodyReference | undefined {
  if (bytes.length !== LENGTH) return undefined
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const hex = read.toString('hex', 0, NAME_BYTES)
  return {
    object: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    at: read.readUInt32BE(NAME_BYTES),
    length: read.readUInt32BE(NAME_BYTES + 4),
    key: read.subarray(NAME_BYTES + 8, LENGTH - TAG_BYTES),
    tag: read.subarray(LENGTH - TAG_BYTES),
  }
}

/** Encrypts a body with a new random key. */
export function encrypted(body: Uint8Array): { bytes: Buffer; key: Buffer; tag: Buffer } {
  const key = randomBytes(KEY_BYTES)
  const cipher = createCipheriv(CIPHER, key, NONCE)
  const bytes = Buffer.concat([cipher.update(body), cipher.final()])
  return { bytes, key, tag: cipher.getAuthTag() }
}

/** Returns the body; undefined if the bytes are damaged. */
export function decrypted(bytes: Uint8Array, { key, tag }: BodyReference): Uint8Array | undefined {
  const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(tag)
  const body = decipher.update(bytes)
  try {
    return Buffer.concat([body, decipher.final()])
  } catch {
    return undefined
  }
}
