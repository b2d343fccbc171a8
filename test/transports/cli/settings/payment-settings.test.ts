import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RegionSettings } from '../../../../store/folder/index.ts'
import { PaymentFolder } from '../../../../store/folder/payment-folder.ts'
import { namingRegionSettings } from '../../../../transports/cli/settings/payment-settings.ts'
import { loadSettings } from '../../../../transports/cli/settings/settings.ts'
import { placeIn } from '../../../store/folder/folder-place.ts'

const payTo = `0x${'ab'.repeat(20)}`
const privateKey = `0x${'17'.repeat(32)}`
const wallet = { X402_PAY_TO: payTo, X402_SETTLER_PRIVATE_KEY: privateKey, X402_RPC_URL: 'http://127.0.0.1:1/' }
const remote = {
  X402_PAY_TO: payTo,
  X402_FACILITATOR_URL: 'https://facilitator.example',
  X402_RPC_URL: 'http://127.0.0.1:1/',
}

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-payment-settings-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const load = async (env: Record<string, string>) => (await loadSettings(dir, {}, env)).payments

describe('settings of payments', () => {
  it('are absent without an address to pay', async () => {
    expect(await load({})).toBeUndefined()
  })

  it('have the defaults of the contract', async () => {
    expect(await load(wallet)).toEqual({
      settings: {
        terms: {
          payTo,
          network: 'eip155:8453',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          assetName: 'USD Coin',
          assetVersion: '2',
          price: '10000',
          maxTimeoutSeconds: 300,
        },
        wallet: { privateKey, maxFeePerGas: 10_000_000_000n },
        rpcUrl: 'http://127.0.0.1:1/',
        confirmations: 1,
        confirmTimeoutMs: 30_000,
        reconcileMs: 10_000,
      },
    })
  })

  it('set another chain, token and price', async () => {
    const given = { X402_NETWORK: 'eip155:84532', X402_ASSET_NAME: 'USDC', X402_PRICE: '5', X402_MAX_FEE_GWEI: '0.5' }
    const set = await load({ ...wallet, ...given })
    expect(set?.settings.terms).toMatchObject({ network: 'eip155:84532', assetName: 'USDC', price: '5' })
    expect(set?.settings.wallet?.maxFeePerGas).toBe(500_000_000n)
  })

  it('read the private key from a file, and the other settings from asof.json', async () => {
    const file = path.join(dir, 'key')
    await writeFile(file, `${privateKey}\n`)
    const { X402_PAY_TO: x402_pay_to, X402_RPC_URL: x402_rpc_url } = wallet
    await writeFile(
      path.join(dir, 'asof.json'),
      JSON.stringify({ x402_pay_to, x402_rpc_url, x402_settler_private_key_file: file }),
    )
    expect((await load({}))?.settings.wallet?.privateKey).toBe(privateKey)
  })

  it('take the names of the headers in which a proxy states the region', async () => {
    const geo = { ASOF_GEO_COUNTRY_HEADER: 'CF-IPCountry', ASOF_GEO_REGION_HEADER: 'CF-Region-Code' }
    const set = await load({ ...remote, ...geo, ASOF_TRUST_PROXY: 'on' })
    expect(set?.regions).toEqual({ headers: { country: 'CF-IPCountry', region: 'CF-Region-Code' } })
  })

  const wrong: [name: string, env: Record<string, string>, message: RegExp][] = [
    ['a price without an address to pay', { X402_PRICE: '1' }, /^x402_price is set without x402_pay_to/],
    ['payments without a settler', { X402_PAY_TO: payTo }, /^set exactly one of/],
    ['two settlers', { ...wallet, ...remote }, /^set exactly one of/],
    ['a wallet without a node', { X402_PAY_TO: payTo, X402_SETTLER_PRIVATE_KEY: privateKey }, /without x402_rpc_url/],
    [
      'a facilitator without a node',
      { X402_PAY_TO: payTo, X402_FACILITATOR_URL: 'https://facilitator.example' },
      /without x402_rpc_url.*also with a facilitator/,
    ],
    ['a bad address', { ...wallet, X402_PAY_TO: '0x12' }, /^X402_PAY_TO: must be an address/],
    ['a bad chain', { ...wallet, X402_NETWORK: 'solana:1' }, /^X402_NETWORK: must be an EVM chain/],
    ['a price of 0', { ...wallet, X402_PRICE: '0' }, /^X402_PRICE: must be digits/],
    [
      'headers of a proxy without a trusted proxy',
      { ...remote, ASOF_GEO_COUNTRY_HEADER: 'X', ASOF_GEO_REGION_HEADER: 'Y' },
      /trust_proxy/,
    ],
    [
      'a country header without a region header',
      { ...remote, ASOF_TRUST_PROXY: 'on', ASOF_GEO_COUNTRY_HEADER: 'X' },
      /^geo_country_header is set without geo_region_header \(ASOF_GEO_REGION_HEADER\): .*Crimea, Donetsk and Luhansk/,
    ],
    [
      'a region header without a country header',
      { ...remote, ASOF_TRUST_PROXY: 'on', ASOF_GEO_REGION_HEADER: 'X' },
      /^geo_region_header is set without geo_country_header/,
    ],
  ]
  for (const [name, env, message] of wrong) {
    it(`reject ${name}`, async () => {
      await expect(load(env)).rejects.toThrow(message)
    })
  }

  it('are named in errors about the regions of payments, which the data folder reports by option', async () => {
    const setup = await load(remote)
    const errorOf = async (regions?: RegionSettings) => {
      const folder = new PaymentFolder(placeIn(dir), { settings: setup!.settings, regions })
      return namingRegionSettings(await folder.start().catch((error: unknown) => error))
    }
    expect(String(await errorOf())).toMatch(/^UsageError: .*ASOF_GEO_MMDB.*ASOF_GEO_COUNTRY_HEADER.*ASOF_GEO_BLOCK/)
    const database = path.join(dir, 'places.mmdb')
    await writeFile(database, 'not a database')
    expect(String(await errorOf({ database }))).toMatch(/^UsageError: geo_mmdb \(ASOF_GEO_MMDB\): .* can't be read/)
    const other = new Error('another error')
    expect(namingRegionSettings(other)).toBe(other)
  })

  it('do not quote a malformed private key', async () => {
    const error = await load({ ...wallet, X402_SETTLER_PRIVATE_KEY: 'my secret' }).catch((reason: Error) => reason)
    expect(String(error)).toMatch(/X402_SETTLER_PRIVATE_KEY: must be a private key/)
    expect(String(error)).not.toContain('my secret')
  })
})
