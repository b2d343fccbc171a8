import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { openPayments, PaymentLedger, type RegionSource } from '../../../store/payments/index.ts'
import { openGeoDatabase } from '../../../store/payments/region.ts'
import { holdWindows } from '../../transports/http/held-windows.ts'
import { type LocalChain, startChain } from '../payments/local-chain.ts'
import { mmdbFile } from '../payments/mmdb-file.ts'
import { settingsOver, startPaidServer } from '../payments/paid-server.ts'
import { signPayment } from '../payments/signed-payment.ts'

let chain: LocalChain
let dir: string

beforeAll(async () => {
  chain = await startChain()
  dir = await mkdtemp(path.join(tmpdir(), 'asof-geo-'))
})
afterAll(async () => {
  await chain.close()
  await rm(dir, { recursive: true, force: true })
})

const TEA = '/v1/x402/search?query=tea'

describe('a caller from a region without paid access gets 451 before any offer', () => {
  it('according to a region database, with or without a payment', async () => {
    const file = path.join(dir, 'places.mmdb')
    const crimea = { country: { iso_code: 'UA' }, subdivisions: [{ iso_code: '43' }] }
    await writeFile(
      file,
      mmdbFile({
        '203.0.113.1': { country: { iso_code: 'CU' } },
        '203.0.113.2': crimea,
        '203.0.113.3': { country: { iso_code: 'UA' }, subdivisions: [{ iso_code: '30' }] },
        '203.0.113.4': { country_code: 'SY' },
      }),
    )
    const server = await startPaidServer(chain, {
      http: { trustProxy: true },
      regions: { locate: await openGeoDatabase(file) },
    })
    const from = (address: string, more = {}) =>
      fetch(server.url + TEA, { headers: { 'X-Forwarded-For': address, ...more } })
    const { header } = await signPayment(await server.offer(), await chain.payer())
    for (const answer of [
      await from('203.0.113.1'),
      await from('203.0.113.2'),
      await from('203.0.113.4'),
      await from('203.0.113.1', { 'PAYMENT-SIGNATURE': header }),
    ]) {
      expect(answer.status).toBe(451)
      expect(await answer.json()).toMatchObject({ error: 'unavailable_region' })
      expect(answer.headers.has('payment-required')).toBe(false)
    }
    expect((await from('203.0.113.3')).status).toBe(402)
    expect((await from('203.0.113.9')).status).toBe(402)
    await server.close()
  })

  it('according to the headers of a trusted proxy, but of nobody else', async () => {
    const regions = { headers: { country: 'CF-IPCountry', region: 'CF-Region-Code' } }
    const server = await startPaidServer(chain, { http: { trustProxy: ['127.0.0.1'] }, regions })
    const proxied = { 'X-Forwarded-For': '203.0.113.1' }
    const from = async (headers: Record<string, string>) => (await fetch(server.url + TEA, { headers })).status
    expect(await from({ ...proxied, 'CF-IPCountry': 'IR' })).toBe(451)
    expect(await from({ ...proxied, 'CF-IPCountry': 'UA', 'CF-Region-Code': '14' })).toBe(451)
    expect(await from({ ...proxied, 'CF-IPCountry': 'UA', 'CF-Region-Code': '9' })).toBe(451)
    expect(await from({ ...proxied, 'CF-IPCountry': 'UA', 'CF-Region-Code': '30' })).toBe(402)
    await server.close()
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => warnings.push(message)
    process.on('warning', onWarning)
    const other = await startPaidServer(chain, {
      http: { trustProxy: ['192.0.2.1'] },
      regions: structuredClone(regions),
    })
    expect((await fetch(other.url + TEA, { headers: { ...proxied, 'CF-IPCountry': 'IR' } })).status).toBe(402)
    expect((await fetch(other.url + TEA, { headers: { ...proxied, 'CF-IPCountry': 'IR' } })).status).toBe(402)
    await other.close()
    process.off('warning', onWarning)
    expect(warnings.filter(text => text.includes('CF-IPCountry'))).toEqual([expect.stringContaining('trust_proxy')])
  })

  it('according to a database if the proxy names only the country', async () => {
    const file = path.join(dir, 'regions.mmdb')
    const at = (region: string) => ({ country: { iso_code: 'UA' }, subdivisions: [{ iso_code: region }] })
    await writeFile(file, mmdbFile({ '203.0.113.1': at('09'), '203.0.113.2': at('30') }))
    const headers = { country: 'X-Country', region: 'X-Region' }
    const regions = { locate: await openGeoDatabase(file), headers }
    const server = await startPaidServer(chain, { http: { trustProxy: true }, regions })
    const from = async (address: string, country: string) =>
      (await fetch(server.url + TEA, { headers: { 'X-Forwarded-For': address, 'X-Country': country } })).status
    expect(await from('203.0.113.1', 'UA')).toBe(451)
    expect(await from('203.0.113.2', 'UA')).toBe(402)
    expect(await from('203.0.113.1', 'PL')).toBe(402)
    await server.close()
  })
})

describe('the server does not start with payments', () => {
  const opened = async (regions: unknown) => {
    const ledger = await PaymentLedger.open(await JournalRecords.open(await mkdtemp(path.join(dir, 'ledger-'))))
    try {
      return await openPayments({
        settings: settingsOver(chain),
        ledger,
        now: Date.now,
        onFailure: () => undefined,
        regions: regions as RegionSource,
      })
    } finally {
      await ledger.close()
    }
  }
  it('without a source of regions, unless the operator serves every region', async () => {
    for (const none of [undefined, null, {}, 'on', { locate: undefined }]) {
      await expect(opened(none)).rejects.toThrow(
        /^regions(?:: .*'off' to serve every region| must be a string or an object)/,
      )
    }
    await (await opened('off')).close()
  })
  it('with a country header but no region header, which would not exclude Crimea, Donetsk and Luhansk', async () => {
    await expect(opened({ headers: { country: 'CF-IPCountry' } })).rejects.toThrow(/^regions.headers: .*region header/)
    const withDatabase = { locate: () => ({}), headers: { country: 'CF-IPCountry' } }
    await expect(opened(withDatabase)).rejects.toThrow(/^regions.headers: .*region header/)
  })
  it('with region headers of a proxy but no trusted proxy', async () => {
    const regions = { headers: { country: 'CF-IPCountry', region: 'CF-Region-Code' } }
    await expect(startPaidServer(chain, { regions })).rejects.toThrow(/trustProxy: must be set/)
    await expect(startPaidServer(chain, { regions, http: { trustProxy: [] } })).rejects.toThrow(
      /trustProxy: must be set/,
    )
  })
})

describe('a call over a rate limit gets 429', () => {
  it('for its address, where offer and payment both count, without an offer', async () => {
    holdWindows()
    const server = await startPaidServer(chain, { limits: { perSecondByAddress: 20, perSecondByWallet: 10 } })
    const answers = await Promise.all(Array.from({ length: 32 }, () => fetch(server.url + TEA)))
    const refused = answers.filter(({ status }) => status === 429)
    const offered = answers.filter(({ status }) => status === 402)
    expect([offered.length, refused.length]).toEqual([20, 12])
    for (const { headers } of refused) {
      expect(headers.get('x-ratelimit-limit')).toBe('20')
      expect(headers.get('x-ratelimit-remaining')).toBe('0')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(headers.has('payment-required')).toBe(false)
    }
    await server.close()
  })

  it('for its wallet, uncharged, and exactly the served calls are charged', async () => {
    holdWindows()
    const server = await startPaidServer(chain, { limits: { perSecondByAddress: 1_000, perSecondByWallet: 2 } })
    const account = await chain.payer()
    const offer = await server.offer()
    const payments = await Promise.all(Array.from({ length: 8 }, () => signPayment(offer, account)))
    const answers = await Promise.all(
      payments.map(({ header }) => fetch(server.url + TEA, { headers: { 'PAYMENT-SIGNATURE': header } })),
    )
    const served = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    expect([served.length, refused.length]).toEqual([2, 6])
    for (const { headers } of refused) {
      expect(headers.get('x-ratelimit-limit')).toBe('2')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await chain.balanceOf(account.address)).toBe(1_000_000n - 20_000n)
    await server.close()
  })
})
