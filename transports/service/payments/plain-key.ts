import { authorizationTypes } from '@x402/evm'
import { recover } from 'tiny-secp256k1'
import { bytesToHex, hashTypedData, hexToBytes, isAddressEqual } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { PaymentOption } from './offer.ts'
import type { SignedPayment } from './payment-header.ts'
import { chainIdOf } from './payment-settings.ts'

const SIGNATURE_BYTES = 65

/**
 * Whether the key whose address the payer is has signed a payment's authorization. The libraries of the chain find the
 * same out in JavaScript alone, and take ten times as long.
 *
 * @returns false for whatever else the signature may be, such as that of a contract wallet.
 */
export function isSignedByKey(
  { asset, network, extra }: PaymentOption,
  { payload: { authorization, signature } }: SignedPayment,
): boolean {
  const bytes = hexToBytes(signature)
  const recovery = recoveryOf(bytes[SIGNATURE_BYTES - 1]!)
  if (bytes.length !== SIGNATURE_BYTES || recovery === undefined) return false
  const { value, validAfter, validBefore } = authorization
  try {
    const hash = hashTypedData({
      domain: { ...extra, chainId: chainIdOf(network)!, verifyingContract: asset },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        ...authorization,
        ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
      },
    })
    const key = recover(hexToBytes(hash), bytes.subarray(0, SIGNATURE_BYTES - 1), recovery)
    return key !== null && isAddressEqual(publicKeyToAddress(bytesToHex(key)), authorization.from)
  } catch {
    // Numbers that are too large, an address with a wrong checksum, no point of the curve: nothing that anybody signed.
    return false
  }
}

/** The last byte of a signature has two spellings. */
function recoveryOf(v: number): 0 | 1 | undefined {
  if (v === 0 || v === 27) return 0
  return v === 1 || v === 28 ? 1 : undefined
}
