import { createHash } from 'node:crypto'
import { type JWSSignedReceipt, verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt'
import { describe, expect, it } from 'vitest'
import { ReceiptSigner } from '../../../store/payments/receipt-signer.ts'

const signer = await ReceiptSigner.fromSeed(new Uint8Array(32).fill(7))
const base = 'https://search.example.com'

interface DidDocument {
  id: string
  verificationMethod: { id: string; publicKeyJwk: { kty: string } }[]
}
const document = signer.didDocument(base) as DidDocument
const [method] = document.verificationMethod as [DidDocument['verificationMethod'][number]]

const bodyOf = (n: number) => JSON.stringify({ query: `tea ${n}`, results: [] })

function receipt(n: number): Promise<JWSSignedReceipt> {
  return signer.sign({
    resourceUrl: `${base}/v1/x402/search?query=tea+${n}`,
    receipt: {
      success: true,
      transaction: `0x${'ab'.repeat(32)}`,
      network: 'eip155:8453',
      payer: `0x${'cd'.repeat(20)}`,
    },
    request: { method: 'GET', target: `/v1/x402/search?query=tea+${n}`, body: new Uint8Array() },
    paid: { asset: `0x${'ef'.repeat(20)}`, amount: '10000' },
    issuedAt: 1_767_225_600_500 + n,
    body: bodyOf(n),
    instant: Date.UTC(2025, 0, 1) + n,
    index: { captures: n, analyzer: 1 },
  })
}

/** Checks a receipt and the body that it is for, as a buyer does. */
async function accepts(signed: JWSSignedReceipt, body: string): Promise<boolean> {
  try {
    const payload = (await verifyReceiptSignatureJWS(signed, method.publicKeyJwk)) as object as { contentHash: string }
    return payload.contentHash === `sha256:${createHash('sha256').update(body).digest('hex')}`
  } catch {
    return false
  }
}

describe('a receipt of a delivery', () => {
  it('has the fields of the extension, and says what was delivered', async () => {
    const signed = await receipt(3)
    const [header = '', payload = ''] = signed.signature
      .split('.')
      .map(part => Buffer.from(part, 'base64url').toString())
    expect(JSON.parse(header)).toEqual({ alg: 'EdDSA', kid: method.id })
    expect(JSON.parse(payload)).toEqual({
      version: 1,
      network: 'eip155:8453',
      resourceUrl: `${base}/v1/x402/search?query=tea+3`,
      payer: `0x${'cd'.repeat(20)}`,
      issuedAt: 1_767_225_600,
      transaction: `0x${'ab'.repeat(32)}`,
      asset: `0x${'ef'.repeat(20)}`,
      amount: '10000',
      instant: '2025-01-01T00:00:00.003Z',
      requestHash: `sha256:${createHash('sha256').update('GET /v1/x402/search?query=tea+3\n').digest('hex')}`,
      contentHash: `sha256:${createHash('sha256').update(bodyOf(3)).digest('hex')}`,
      index: { captures: 3, analyzer: 1 },
    })
    expect(await receipt(3)).toEqual(signed)
  })

  it('is accepted by the verifier of the x402 packages, 100 of 100, and none of 1,000 that were altered', async () => {
    const receipts = await Promise.all(Array.from({ length: 100 }, (_, n) => receipt(n)))
    let accepted = 0
    for (const [n, signed] of receipts.entries()) if (await accepts(signed, bodyOf(n))) accepted++
    expect(accepted).toBe(100)
    let forged = 0
    for (let i = 0; i < 1_000; i++) {
      const n = i % receipts.length
      const signed = receipts[n] as JWSSignedReceipt
      // One bit of the header, the payload, the signature or the body is changed.
      const parts = [...signed.signature.split('.').map(part => Buffer.from(part, 'base64url')), Buffer.from(bodyOf(n))]
      const part = parts[Math.floor(i / 100) % parts.length] as Buffer
      const at = (i * 31) % part.length
      part[at] = (part[at] as number) ^ (1 << (i % 7))
      const signature = parts
        .slice(0, 3)
        .map(bytes => bytes.toString('base64url'))
        .join('.')
      if (await accepts({ format: 'jws', signature }, (parts[3] as Buffer).toString('latin1'))) forged++
    }
    expect(forged).toBe(0)
  })

  it('is not accepted with the key of another ledger', async () => {
    const other = (await ReceiptSigner.fromSeed(new Uint8Array(32).fill(8))).didDocument(base) as DidDocument
    await expect(
      verifyReceiptSignatureJWS(await receipt(1), other.verificationMethod[0]!.publicKeyJwk),
    ).rejects.toThrow()
  })

  it('names a server with a port as did:web does', () => {
    expect((signer.didDocument('http://127.0.0.1:8787') as DidDocument).id).toBe('did:web:127.0.0.1%3A8787')
  })
})
