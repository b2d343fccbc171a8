import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalChain, startChain, USDC } from '../payments/local-chain.ts'
import { PRICE, startPaidServer } from '../payments/paid-server.ts'
import { signPayment } from '../payments/signed-payment.ts'

let chain: LocalChain

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.close())

it('counts payments by state, settled amounts by token, and failures by reason', async () => {
  const server = await startPaidServer(chain, { http: { publicMetrics: true } })
  const offer = await server.offer()
  const pay = async (header: string, path = '/v1/x402/search?query=tea') =>
    (await fetch(server.url + path, { headers: { 'PAYMENT-SIGNATURE': header } })).status
  const account = await chain.payer()
  const { header } = await signPayment(offer, account)
  expect(await pay(header, '/v1/x402/fetch?url=https://example.com/nothing')).toBe(404)
  expect(await pay(header)).toBe(200)
  expect(await pay(header)).toBe(402)
  expect(await pay('no payment')).toBe(402)
  const blocked = await chain.payer()
  await chain.blockSettling(blocked.address)
  expect(await pay((await signPayment(offer, blocked)).header)).toBe(402)

  const text = await (await fetch(`${server.url}/metrics`)).text()
  const figures = text.split('\n').filter(line => line.startsWith('asof_payments_'))
  expect(figures.sort()).toEqual(
    [
      'asof_payments_total{state="held"} 3',
      'asof_payments_total{state="voided"} 1',
      'asof_payments_total{state="settling"} 2',
      'asof_payments_total{state="settled"} 1',
      'asof_payments_total{state="failed"} 1',
      'asof_payments_total{state="undecided"} 0',
      `asof_payments_settled_amount_total{network="eip155:8453",asset="${USDC}"} ${PRICE}`,
      'asof_payments_refused_total{reason="payment_already_used"} 1',
      'asof_payments_refused_total{reason="invalid_payload"} 1',
      'asof_payments_unsettled_total{state="failed",reason="invalid_exact_evm_transaction_failed"} 1',
    ].sort(),
  )
  await server.close()
})
