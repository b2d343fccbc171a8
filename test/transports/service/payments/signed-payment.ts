import { randomBytes } from 'node:crypto'
import type { Address, Hex, LocalAccount } from 'viem'
import type { PaymentOffer } from '../../../../transports/service/payments/index.ts'

export interface Authorization {
  from: Address
  to: Address
  value: string
  validAfter: string
  validBefore: string
  nonce: Hex
}

/** What a payment says otherwise than an honest client would. */
export interface Twist {
  /** Signed like the rest. */
  authorization?: Partial<Authorization>
  /** Said to be accepted. */
  accepted?: Record<string, unknown>
  /** In place of the real one. */
  signature?: (real: Hex) => Hex
  /** Changed after signing. */
  forged?: Partial<Authorization>
  /** Beside `accepted` and `payload`. */
  top?: Record<string, unknown>
}

export interface SignedPayment {
  header: string
  authorization: Authorization
}

/** A payment for an offer, made by hand: the `PAYMENT-SIGNATURE` header and what it authorises. */
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
