import { authorizationTypes, eip3009ABI, type FacilitatorEvmSigner, startAssetContractCheck } from '@x402/evm'
import { recover } from 'tiny-secp256k1'
import {
  type Abi,
  bytesToHex,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeFunctionResult,
  encodeFunctionData,
  hashTypedData,
  hexToBytes,
  isAddressEqual,
  type PublicClient,
  parseSignature,
} from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { isOutage } from './chain.ts'
import type { PaymentOption, SignedPayment } from './offer.ts'
import type { Hex } from './payment-settings.ts'

/** A read-only call of a contract function. */
interface ContractCall {
  address: Hex
  abi: Abi | readonly unknown[]
  functionName: string
  args?: readonly unknown[] | undefined
}

/**
 * Reads of the node for one verification of one payment, with a cache. Equal reads are sent once, so reads can be started
 * before their results are needed.
 */
export class NodeReads {
  readonly #client: PublicClient
  readonly #answers = new Map<string, Promise<unknown>>()
  #outage: unknown

  constructor(client: PublicClient) {
    this.#client = client
  }

  /** The error of a read for which the node was not available, or `undefined` if the node answered all reads. */
  get outage(): unknown {
    return this.#outage
  }

  /** Returns the code of an account, or `undefined` if it has none. @throws viem's error */
  codeOf(address: Hex): Promise<Hex | undefined> {
    return this.#once(`code ${address.toLowerCase()}`, () => this.#client.getCode({ address }))
  }

  /** Returns the result of a function, or `undefined` if it has none. @throws viem's error - also if the call reverts. */
  async call({ address, abi, functionName, args = [] }: ContractCall): Promise<unknown> {
    const call = {
      abi: abi as Abi,
      functionName: functionName as ContractFunctionName,
      args: args as ContractFunctionArgs,
    }
    const data = encodeFunctionData(call)
    const result = await this.#once(`call ${address.toLowerCase()} ${data}`, () =>
      this.#client.call({ to: address, data }),
    )
    return decodeFunctionResult({ ...call, data: result.data ?? '0x' })
  }

  #once<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#answers.get(question) as Promise<T> | undefined
    if (asked) return asked
    const answer = ask()
    this.#answers.set(question, answer)
    // This handler keeps an ignored promise from ending the process by an unhandled rejection.
    answer.catch((error: unknown) => {
      if (isOutage(error)) this.#outage ??= error
    })
    return answer
  }
}

const SIGNATURE_BYTES = 65

/** The EIP-712 domain of a token, which every signed transfer of the token includes. */
interface TokenDomain {
  name: string
  version: string
  chainId: number
  verifyingContract: Hex
}

/**
 * Returns true if the authorization of a payment is signed by the private key of the payer's address. viem checks this in
 * pure JavaScript, which takes ten times as long.
 *
 * @returns false for any other signature, such as that of a contract wallet.
 */
export function isSignedByPayer(
  domain: TokenDomain,
  { payload: { authorization, signature } }: SignedPayment,
): boolean {
  const bytes = hexToBytes(signature)
  const recovery = recoveryOf(bytes[SIGNATURE_BYTES - 1])
  if (bytes.length !== SIGNATURE_BYTES || recovery === undefined) return false
  const { value, validAfter, validBefore } = authorization
  try {
    const hash = hashTypedData({
      domain,
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        ...authorization,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
      },
    })
    const key = recover(hexToBytes(hash), bytes.subarray(0, SIGNATURE_BYTES - 1), recovery)
    return key !== null && isAddressEqual(publicKeyToAddress(bytesToHex(key)), authorization.from)
  } catch {
    // A number is too large, an address has a wrong checksum, or the signature is no point of the curve: no wallet signs that.
    return false
  }
}

/** Returns the recovery id that the last byte of a signature states. Each id can be written in two ways. */
function recoveryOf(v: number | undefined): 0 | 1 | undefined {
  if (v === 0 || v === 27) return 0
  return v === 1 || v === 28 ? 1 : undefined
}

/** Returns the call of the token's smart contract that settles a payment. The payment must be signed by a private key. */
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
 * transfer would succeed now. The protocol's library makes the same checks one after another. This function reads the node and
 * checks the signature at the same time. The terms of the payment are not checked.
 *
 * @param reads - for this payment only. The library can then reuse the answers of the node.
 * @returns false if the library must decide. It supports more kinds of payers, and reports why a payment is not valid.
 */
export async function isCertainlyValid(
  reads: NodeReads,
  signer: FacilitatorEvmSigner,
  { option, domain }: { option: PaymentOption; domain: TokenDomain },
  payment: SignedPayment,
): Promise<boolean> {
  try {
    const transfer = transferOf(option, payment)
    const asked = Promise.all([
      reads.codeOf(payment.payload.authorization.from),
      startAssetContractCheck(signer, option.network, option.asset).await(),
      reads.call(transfer),
    ])
    const signed = isSignedByPayer(domain, payment)
    const [code, problemOfAsset] = await asked
    return signed && code === undefined && problemOfAsset === ''
  } catch {
    // The library repeats the check, or gets the failure from `reads`.
    return false
  }
}
