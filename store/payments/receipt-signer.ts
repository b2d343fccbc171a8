import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { CompactSign, calculateJwkThumbprint, exportJWK, type JWK } from 'jose'
import type { PaidTransfer, PaymentReceipt } from './payment-order.ts'

/** The request that a payment paid for, as it was sent. */
export interface PaidRequest {
  method: string
  /** Path and query string. */
  target: string
  /** Empty if the request had no body. */
  body: Uint8Array
}

/** What was delivered for a payment. */
export interface Delivery {
  /** The address of the resource in the offer. */
  resourceUrl: string
  receipt: PaymentReceipt
  request: PaidRequest
  /** What was paid. Absent if the server takes no payments any more: then a plan's terms name its price. */
  paid?: Pick<PaidTransfer, 'asset' | 'amount'>
  /** When the payment settled or, for a plan, was first presented, epoch ms. */
  issuedAt: number
  /** The body of the answer, before it is compressed. */
  body: string
  /** The instant that was answered for, epoch ms. */
  instant: number
  /** The state of the index: the receipt of a search, or when the page of a fetch was acquired. For a plan, the plan that was given. */
  index: object
}

/** A receipt in the extension Offer and Receipt of x402 (version 1.0). */
export interface SignedReceipt {
  format: 'jws'
  /** JWS compact serialization (RFC 7515), signed with EdDSA. */
  signature: string
}

/** The DER header of an Ed25519 private key in PKCS #8 (RFC 8410, 7); the 32 bytes of the key follow. */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Signs receipts of what was delivered for payments, so that a buyer can show later which answer was sold, as of which instant and
 * from which state of the index.
 */
export class ReceiptSigner {
  readonly #privateKey: KeyObject
  readonly #publicJwk: JWK
  readonly #keyId: string

  private constructor(privateKey: KeyObject, publicJwk: JWK, keyId: string) {
    this.#privateKey = privateKey
    this.#publicJwk = publicJwk
    this.#keyId = keyId
  }

  /** @param seed - 32 secret bytes, from which the key follows. */
  static async fromSeed(seed: Uint8Array): Promise<ReceiptSigner> {
    const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' })
    const jwk = await exportJWK(createPublicKey(privateKey))
    return new ReceiptSigner(privateKey, jwk, await calculateJwkThumbprint(jwk))
  }

  /**
   * Signs a receipt. The fields of the extension are `version`, `network`, `resourceUrl`, `payer`, `issuedAt` and `transaction`. asof
   * adds `asset`, `amount`, `requestHash` (SHA-256 of the request), `contentHash` (SHA-256 of the body), `instant` and `index`. Equal deliveries have equal receipts.
   */
  async sign({
    resourceUrl,
    receipt,
    request,
    paid,
    issuedAt,
    body,
    instant,
    index,
  }: Delivery): Promise<SignedReceipt> {
    const { network, payer, transaction } = receipt
    const { asset, amount } = paid ?? {}
    const payload = {
      version: 1,
      network,
      resourceUrl,
      payer,
      issuedAt: Math.floor(issuedAt / 1000),
      transaction,
      asset,
      amount,
      requestHash: requestHash(request),
      contentHash: `sha256:${createHash('sha256').update(body).digest('hex')}`,
      instant: new Date(instant).toISOString(),
      index,
    }
    const signature = await new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'EdDSA', kid: `${didOf(resourceUrl)}#${this.#keyId}` })
      .sign(this.#privateKey)
    return { format: 'jws', signature }
  }

  /**
   * Returns the document that a verifier reads at `/.well-known/did.json` of the server (did:web). It has the public key.
   *
   * @param base - the address of the server.
   */
  didDocument(base: string): object {
    const id = didOf(base)
    const method = `${id}#${this.#keyId}`
    return {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id,
      verificationMethod: [{ id: method, type: 'JsonWebKey2020', controller: id, publicKeyJwk: this.#publicJwk }],
      assertionMethod: [method],
    }
  }
}

/** Hashes the method, a space, the path with the query string, a line feed, and the body. */
function requestHash({ method, target, body }: PaidRequest): string {
  return `sha256:${createHash('sha256').update(`${method} ${target}\n`).update(body).digest('hex')}`
}

/** Returns the decentralized identifier of the server at an address. The colon of a port is escaped. */
function didOf(address: string): string {
  return `did:web:${new URL(address).host.replace(':', '%3A')}`
}
