import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { paymentDefaults } from '../../../store/payments/index.ts'
import { optionOf, parsePayment, type SignedPayment } from '../../../store/payments/offer.ts'
import { isSignedByPayer } from '../../../store/payments/verification.ts'

import { signPayment, type Twist } from './signed-payment.ts'

const { network, asset, assetName, assetVersion, price, maxTimeoutSeconds } = paymentDefaults
const stranger = privateKeyToAccount(generatePrivateKey()).address
const option = optionOf({ network, asset, assetName, assetVersion, price, maxTimeoutSeconds, payTo: stranger })
const domain = { ...option.extra, chainId: 8453, verifyingContract: option.asset }
const offer = {
  x402Version: 2,
  error: '',
  resource: { url: '', description: '', mimeType: '' },
  accepts: [option],
} as const

async function payment(twist: Twist = {}): Promise<SignedPayment> {
  const { header } = await signPayment(offer, privateKeyToAccount(generatePrivateKey()), twist)
  return parsePayment(JSON.parse(Buffer.from(header, 'base64').toString()))!
}

it('accepts the signature of the payer with both values of its last byte', async () => {
  for (let i = 0; i < 20; i += 1) {
    expect(isSignedByPayer(domain, await payment())).toBe(true)
    const respelled = await payment({
      signature: real => `${real.slice(0, -2) as '0x'}${real.endsWith('1b') ? '00' : '01'}`,
    })
    expect(isSignedByPayer(domain, respelled)).toBe(true)
  }
})

it('accepts an address of the payer in lowercase', async () => {
  const { payload, ...rest } = await payment()
  const from = payload.authorization.from.toLowerCase() as `0x${string}`
  const lower = { ...rest, payload: { ...payload, authorization: { ...payload.authorization, from } } }
  expect(isSignedByPayer(domain, lower)).toBe(true)
})

it.each(['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const)(
  'does not know an authorization whose %s was changed',
  async field => {
    const other = {
      from: stranger,
      to: asset,
      value: '9999',
      validAfter: '1',
      validBefore: '2',
      nonce: `0x${'11'.repeat(32)}`,
    }
    expect(isSignedByPayer(domain, await payment({ forged: { [field]: other[field] } }))).toBe(false)
  },
)

it('rejects a signature for another token, chain or name', async () => {
  const signed = await payment()
  for (const change of [{ verifyingContract: stranger }, { chainId: 1 }, { name: 'USDC' }, { version: '1' }]) {
    expect(isSignedByPayer({ ...domain, ...change }, signed)).toBe(false)
  }
})

it.each<[string, Twist]>([
  ['of other bytes', { signature: () => `0x${'5a'.repeat(65)}` }],
  ['of nothing', { signature: () => `0x${'00'.repeat(65)}` }],
  ['beyond the order of the curve', { signature: () => `0x${'ff'.repeat(64)}1b` }],
  ['that ends in no recovery', { signature: real => `${real.slice(0, -2) as '0x'}1d` }],
  ['of a contract wallet', { signature: real => `${real}01` }],
  ['of a number that is too large for the token', { forged: { value: '9'.repeat(78) } }],
])('does not know a signature %s', async (_, twist) => {
  expect(isSignedByPayer(domain, await payment(twist))).toBe(false)
})
