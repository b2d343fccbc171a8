import type { App } from '../../transports/http/ways/index.ts'
import type { ReceiptSigner } from '../payments/index.ts'

/**
 * Publishes the key that signs receipts, as a document of did:web. A verifier of a receipt reads it at the host of the receipt's
 * `resourceUrl`, so it has the same address as an offer.
 *
 * @param baseUrl - public address of the server. Default: the address on which it listens.
 */
export function addReceiptKeyRoute(app: App, receipts: ReceiptSigner, baseUrl: string | undefined): void {
  app.get('/.well-known/did.json', { schema: { hide: true } }, async () =>
    receipts.didDocument(baseUrl ?? app.listeningOrigin),
  )
}
