import { readFile } from 'node:fs/promises'
import { isAsofError } from '@asof/core'
import { z } from 'zod'
import type { PaymentSetup, RegionSettings } from '../../../store/folder/index.ts'
import { chainIdOf, type Hex, type Network, paymentDefaults } from '../../../store/payments/payment-settings.ts'
import { UsageError } from '../command-failure.ts'
import { firstGiven, type Given, namesOf, type OptionsOf, optionsOf, settingTable } from './setting.ts'
import { integer, nonEmptyText, positive, webUrl } from './setting-types.ts'

function hex(digits: number, error: string) {
  return z.custom<Hex>(value => typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(value), {
    error,
  })
}

const address = hex(40, 'must be an address such as 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'must be the name of an HTTP header' })
const tokenText = nonEmptyText.max(100)

/** The settings of payments by x402. */
export const x402Settings = settingTable('x402_', {
  payTo: { type: address, text: 'the receiving address; without it no payments are taken' },
  settlerPrivateKey: {
    isSecret: true,
    type: hex(64, 'must be a private key: 0x and 64 hexadecimal digits'),
    text: 'settle in this process with the account of this key. Only one process may use the account',
  },
  settlerPrivateKeyFile: { type: nonEmptyText, text: 'file that holds that key instead' },
  facilitatorUrl: { type: webUrl, text: 'alternatively, a facilitator that settles. The node is needed, too' },
  facilitatorToken: { type: nonEmptyText, isSecret: true, text: 'the token for the facilitator, sent as bearer' },
  rpcUrl: {
    // Providers of nodes put their keys into the address.
    isSecret: true,
    type: webUrl,
    text: 'a node of the chain. Required, also with a facilitator: only the chain has the outcome of a payment that was being settled when the server was killed',
  },
  network: {
    type: z.custom<Network>(value => typeof value === 'string' && chainIdOf(value) !== undefined, {
      error: 'must be an EVM chain such as eip155:8453',
    }),
    default: paymentDefaults.network,
    text: 'any EVM chain, as CAIP-2',
  },
  asset: {
    type: address,
    default: paymentDefaults.asset,
    text: 'contract of any token that supports EIP-3009; the default is USDC on Base',
  },
  assetName: {
    type: tokenText,
    default: paymentDefaults.assetName,
    text: "the token's own `name()`; on Base Sepolia `USDC`",
  },
  assetVersion: { type: tokenText, default: paymentDefaults.assetVersion, text: "the token's own `version()`" },
  price: {
    type: z.string().regex(/^[1-9]\d{0,30}$/, { error: "must be digits, in the token's smallest unit" }),
    default: paymentDefaults.price,
    text: "in the token's smallest unit; the default is $0.01",
  },
  maxTimeoutSeconds: {
    type: integer(10, 86_400),
    default: paymentDefaults.maxTimeoutSeconds,
    text: 'validity of a signed payment, seconds',
  },
  confirmations: {
    type: integer(1, 1_000),
    default: paymentDefaults.confirmations,
    text: 'number of blocks that must confirm a transfer',
  },
  confirmTimeoutMs: {
    type: integer(1_000, 120_000),
    default: paymentDefaults.confirmTimeoutMs,
    text: 'time to wait for a sent transfer or a facilitator, ms',
  },
  reconcileMs: {
    type: integer(0, 30_000),
    default: paymentDefaults.reconcileMs,
    text: 'time to query the chain about an undecided payment before the caller is answered, ms',
  },
  maxFeeGwei: {
    type: positive(1_000_000),
    default: paymentDefaults.maxFeeGwei,
    text: 'payments are unavailable while gas costs more than this',
  },
})

/** The settings of the regions where payments are refused. */
export const geoSettings = settingTable('geo_', {
  mmdb: { type: nonEmptyText, text: 'a database of places in the MaxMind format, with subdivisions' },
  countryHeader: {
    type: headerName,
    text: 'header in which a trusted proxy (`ASOF_TRUST_PROXY`) gives the country of the caller, such as `CF-IPCountry`',
  },
  regionHeader: {
    type: headerName,
    text: 'header in which it gives the subdivision, such as `CF-Region-Code`; give both',
  },
  block: {
    type: z.enum(['on', 'off'], { error: 'must be on or off' }),
    default: 'on',
    text: '`off`: serve every [region](payments.md#regions)',
  },
})

type X402Options = OptionsOf<typeof x402Settings>

async function privateKeyOf({ settlerPrivateKey, settlerPrivateKeyFile }: X402Options): Promise<Hex | undefined> {
  if (settlerPrivateKeyFile === undefined) return settlerPrivateKey
  if (settlerPrivateKey !== undefined)
    throw new UsageError(
      'x402_settler_private_key and x402_settler_private_key_file are both set: set only one of them',
    )
  let key: string
  try {
    key = (await readFile(settlerPrivateKeyFile, 'utf8')).trim()
  } catch (cause) {
    throw new UsageError(`x402_settler_private_key_file: can't read ${settlerPrivateKeyFile}`, { cause })
  }
  const result = x402Settings.settlerPrivateKey.type.safeParse(key)
  if (!result.success)
    throw new UsageError(
      `x402_settler_private_key_file: ${settlerPrivateKeyFile} does not hold a private key (0x and 64 hexadecimal digits)`,
    )
  return result.data
}

const WEI_PER_GWEI = 1e9

function regionsOf(given: Given, trustsProxy: boolean): RegionSettings | undefined {
  const { mmdb, countryHeader: country, regionHeader: region, block } = optionsOf(geoSettings, given)
  if (region !== undefined && country === undefined) {
    throw new UsageError(`geo_region_header is set without ${namesOf(geoSettings.countryHeader)}: set it too`)
  }
  if (country !== undefined && region === undefined) {
    throw new UsageError(
      `geo_country_header is set without ${namesOf(geoSettings.regionHeader)}: set it too, because the country alone does not exclude Crimea, Donetsk and Luhansk`,
    )
  }
  if (country !== undefined && !trustsProxy) {
    throw new UsageError(
      'geo_country_header is set without trust_proxy (ASOF_TRUST_PROXY): set it too, because only a trusted proxy may state the country',
    )
  }
  if (block === 'off') return 'off'
  const headers = country !== undefined && region !== undefined ? { country, region } : undefined
  return mmdb === undefined ? headers && { headers } : { database: mmdb, headers }
}

/**
 * Turns an error about the regions of payments into a usage error that names the settings. Returns any other error unchanged.
 */
export function namingRegionSettings(error: unknown): unknown {
  if (!isAsofError(error, 'ASOF_INVALID_OPTION')) return error
  const { field, reason } = error.details ?? {}
  if (field === 'payments.regions.database') {
    return new UsageError(`geo_mmdb (ASOF_GEO_MMDB): ${String(reason)}`, { cause: error })
  }
  if (field !== 'payments.regions') return error
  return new UsageError(
    'payments are not offered in every region, and nothing says where a caller is: set geo_mmdb (ASOF_GEO_MMDB), or geo_country_header and geo_region_header (ASOF_GEO_COUNTRY_HEADER, ASOF_GEO_REGION_HEADER), or geo_block (ASOF_GEO_BLOCK) to off to serve everywhere',
    { cause: error },
  )
}

/**
 * Returns how payments are received, or `undefined` if the server takes no payments.
 *
 * @throws UsageError - settings contradict each other, or one is set without another that it needs.
 */
export async function paymentSetupOf(given: Given, trustsProxy: boolean): Promise<PaymentSetup | undefined> {
  const options = optionsOf(x402Settings, given)
  const { payTo, rpcUrl, network, asset, assetName, assetVersion, price, maxTimeoutSeconds } = options
  if (payTo === undefined) {
    const stray = firstGiven(x402Settings, given)
    if (stray === undefined) return undefined
    throw new UsageError(`${stray} is set without x402_pay_to (X402_PAY_TO), the address to pay: set it too`)
  }
  const privateKey = await privateKeyOf(options)
  const { facilitatorUrl: url, facilitatorToken: token, maxFeeGwei } = options
  if ((privateKey === undefined) === (url === undefined)) {
    throw new UsageError(
      'set exactly one of x402_settler_private_key (or x402_settler_private_key_file) and x402_facilitator_url',
    )
  }
  if (rpcUrl === undefined)
    throw new UsageError(
      'x402_pay_to is set without x402_rpc_url (X402_RPC_URL), a node of the chain: set it too, because only the chain says whether a payment succeeded whose answer was lost, also with a facilitator',
    )
  const { confirmations, confirmTimeoutMs, reconcileMs } = options
  const maxFeePerGas = BigInt(Math.round(maxFeeGwei * WEI_PER_GWEI))
  return {
    settings: {
      terms: { payTo, network, asset, assetName, assetVersion, price, maxTimeoutSeconds },
      confirmations,
      confirmTimeoutMs,
      reconcileMs,
      rpcUrl,
      facilitator: url === undefined ? undefined : { url, token },
      wallet: privateKey && { privateKey, maxFeePerGas },
    },
    regions: regionsOf(given, trustsProxy),
  }
}
