import { authorizationTypes } from '@x402/evm'
import { recover } from 'tiny-secp256k1'
import { bytesToHex, hashTypedData, hexToBytes, isAddressEqual } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { PaymentOption } from './offer.ts'
import { chainIdOf } from './payment-settings.ts'
import type { SignedPayment } from './signed-payment.ts'

const SIGNATURE_BYTES = 65

/**
 * Returns true if the authorization of a payment is signed by the private key of the payer's address. The blockchain libraries
 * check this in pure JavaScript, which takes ten times as long.
 *
 * @returns false for any other signature, such as that of a contract wallet.
 */
export function isSignedByPayer(
  { asset, network, extra }: PaymentOption,
  { payload: { authorization, signature } }: SignedPayment,
): boolean {
  const bytes = hexToBytes(signature)
  const recovery = recoveryOf(bytes[SIGNATURE_BYTES - 1])
  const chainId = chainIdOf(network)
  if (bytes.length !== SIGNATURE_BYTES || recovery === undefined || chainId === undefined) return false
  const { value, validAfter, validBefore } = authorization
  try {
    const hash = hashTypedData({
      domain: { ...extra, chainId, verifyingContract: asset },
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
    // A number is too large, an address has a wrong checksum, or the signature is not a point of the curve: nobody signed it.
    return false
  }
}

/** Returns the recovery id. The last byte of a signature has two valid values for each. */
function recoveryOf(v: number | undefined): 0 | 1 | undefined {
  if (v === 0 || v === 27) return 0
  return v === 1 || v === 28 ? 1 : undefined
}
