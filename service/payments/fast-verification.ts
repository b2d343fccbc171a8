import { eip3009ABI, type FacilitatorEvmSigner, startAssetContractCheck } from '@x402/evm'
import { parseSignature } from 'viem'
import { isSignedByPayer } from './eoa-signature.ts'
import type { ContractCall, NodeReads } from './node-reads.ts'
import type { PaymentOption } from './offer.ts'
import type { SignedPayment } from './signed-payment.ts'

/** Returns the contract call that would settle a payment that was signed by a private key. */
function transferOf({ asset }: PaymentOption, { payload: { authorization, signature } }: SignedPayment): ContractCall {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const { r, s, v, yParity } = parseSignature(signature)
  return {
    address: asset,
    abi: eip3009ABI,
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, v ?? yParity, r, s],
  }
}

/**
 * Returns true if a payment is certainly valid: it is signed by the payer's private key, the token is a contract, and the
 * transfer would succeed now. The protocol's library makes the same checks one after another; here all reads of the node run
 * at once, while the signature is checked. The terms of the payment are not checked.
 *
 * @param reads - used for this payment only. The library finds the answers there.
 * @returns false if the payment may or may not be valid. The library then decides: it supports more kinds of payers and
 *   reports the reason.
 */
export async function isCertainlyValid(
  reads: NodeReads,
  signer: FacilitatorEvmSigner,
  option: PaymentOption,
  payment: SignedPayment,
): Promise<boolean> {
  try {
    const transfer = transferOf(option, payment)
    const asked = Promise.all([
      reads.codeOf(payment.payload.authorization.from),
      startAssetContractCheck(signer, option.network, option.asset).await(),
      reads.call(transfer),
    ])
    const signed = isSignedByPayer(option, payment)
    const [code, problemOfAsset] = await asked
    return signed && code === undefined && problemOfAsset === ''
  } catch {
    // The library repeats the check, or finds the failure in `reads`.
    return false
  }
}
