import { eip3009ABI, type FacilitatorEvmSigner, startAssetContractCheck } from '@x402/evm'
import { parseSignature } from 'viem'
import type { ContractCall, NodeReads } from './node-reads.ts'
import type { PaymentOption } from './offer.ts'
import type { SignedPayment } from './payment-header.ts'
import { isSignedByKey } from './plain-key.ts'

/** The call that would settle a payment of a plain key. */
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
 * Whether a payment is good beyond doubt: the payer is a plain key, which has signed it; the token is a contract; and the
 * transfer would succeed now. The library of the protocol makes the same checks one after another. Here the node is asked
 * everything at once, and the signature is looked at meanwhile. The terms of the payment are not looked at.
 *
 * @param reads - of this payment alone; what was asked is found there by the library.
 * @returns false where that is not certain, which is no verdict: the library knows more kinds of payers, and says why not.
 */
export async function isCertainlyGood(
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
    const signed = isSignedByKey(option, payment)
    const [code, problemOfAsset] = await asked
    return signed && code === undefined && problemOfAsset === ''
  } catch {
    // What went wrong is asked again, or found among the reads, by whoever gives the verdict.
    return false
  }
}
