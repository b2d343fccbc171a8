import { randomBytes } from 'node:crypto'
import type { Address, Hex, LocalAccount } from 'viem'
import type { PaymentOffer } from '../../../store/payments/index.ts'

export interface Authorization {
  from: Address
  to: Address
  value: string
  validAfter: string
  validBefore: string
  nonce: Hex
}

/** Deviations of a payment from that of an honest client. */
export interface Twist {
  /** Changes of the authorization, which are signed. */
  authorization?: Partial<Authorization>
  /** Changes of the accepted option. */
  accepted?: Record<string, unknown>
  /** A signature that replaces the real one. */
  signature?: (real: Hex) => Hex
  /** Changes of the authorization after signing. */
  forged?: Partial<Authorization>
  /** Fields to add beside `accepted` and `payload`. */
  top?: Record<string, unknown>
}

export interface SignedPayment {
  header: string
  authorization: Authorization
}

/** Creates a payment for an offer without a library: the `PAYMENT-SIGNATURE` header and its authorization. */
export async function signPayment(
  offer: PaymentOffer,
  account: LocalAccount,
  twist: Twist = {},
): Promise<SignedPayment> {
  const [option] = offer.accepts
  const authorization: Authorization = {
    from: account.address,
    to: option.payTo,
    value: option.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + option.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...twist.authorization,
  }
  const bytes32 = { type: 'bytes32' } as const
  const uint256 = { type: 'uint256' } as const
  const real = await account.signTypedData({
    domain: {
      ...option.extra,
      chainId: Number(option.network.split(':')[1]),
      verifyingContract: option.asset,
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', ...uint256 },
        { name: 'validAfter', ...uint256 },
        { name: 'validBefore', ...uint256 },
        { name: 'nonce', ...bytes32 },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  })
  const payment = {
    x402Version: 2,
    resource: offer.resource,
    accepted: { ...option, ...twist.accepted },
    payload: {
      signature: twist.signature?.(real) ?? real,
      authorization: { ...authorization, ...twist.forged },
    },
    ...twist.top,
  }
  return { header: Buffer.from(JSON.stringify(payment)).toString('base64'), authorization }
}
