import { readFile } from 'node:fs/promises'
import { isAsofError } from '@asof/core'
import { z } from 'zod'
import type { PaymentSetup, RegionSettings } from '../../../service/data-folder/index.ts'
import {
  chainIdOf,
  type FacilitatorSettings,
  type Hex,
  type Network,
  paymentDefaults,
  type WalletSettings,
} from '../../../service/payments/payment-settings.ts'
import { UsageError } from '../usage-error.ts'

function hex(digits: number, error: string) {
  return z.custom<Hex>(value => typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(value), {
    error,
  })
}

function integer(min: number, max: number) {
  const read = (value: unknown) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)
  return z.preprocess(read, z.int().min(min).max(max))
}

function decimal(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value
}

const address = hex(40, 'must be an address such as 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })
const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'must be the name of an HTTP header' })

/** The settings of payments by their names in `asof.json`. Variables of x402 settings do not begin with `ASOF_`. */
export const paymentSettingsShape = {
  x402_pay_to: address.optional(),
  x402_network: z
    .custom<Network>(value => typeof value === 'string' && chainIdOf(value) !== undefined, {
      error: 'must be an EVM chain such as eip155:8453',
    })
    .optional(),
  x402_asset: address.optional(),
  x402_asset_name: z.string().min(1).max(100).optional(),
  x402_asset_version: z.string().min(1).max(100).optional(),
  x402_price: z
    .string()
    .regex(/^[1-9]\d{0,30}$/, { error: "must be digits, in the token's smallest unit" })
    .optional(),
  x402_max_timeout_seconds: integer(10, 86_400).optional(),
  x402_facilitator_url: webAddress.optional(),
  x402_facilitator_token: z.string().min(1).optional(),
  x402_settler_private_key: hex(64, 'must be a private key: 0x and 64 hexadecimal digits').optional(),
  x402_settler_private_key_file: z.string().min(1).optional(),
  x402_rpc_url: webAddress.optional(),
  x402_confirmations: integer(1, 1_000).optional(),
  x402_confirm_timeout_ms: integer(1_000, 120_000).optional(),
  x402_reconcile_ms: integer(0, 30_000).optional(),
  x402_max_fee_gwei: z.preprocess(decimal, z.number().positive().max(1_000_000)).optional(),
  geo_mmdb: z.string().min(1).optional(),
  geo_country_header: headerName.optional(),
  geo_region_header: headerName.optional(),
  geo_block: z.enum(['on', 'off'], { error: 'must be on or off' }).optional(),
}

type Given = z.output<z.ZodObject<typeof paymentSettingsShape>>

async function privateKeyOf(given: Given): Promise<Hex | undefined> {
  const { x402_settler_private_key: key, x402_settler_private_key_file: file } = given
  if (file === undefined) return key
  if (key !== undefined)
    throw new UsageError(
      'x402_settler_private_key and x402_settler_private_key_file are both set: set only one of them',
    )
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    throw new UsageError(`x402_settler_private_key_file: can't read ${file}`, { cause })
  }
  const read = paymentSettingsShape.x402_settler_private_key.safeParse(text)
  if (!read.success)
    throw new UsageError(
      `x402_settler_private_key_file: ${file} does not hold a private key (0x and 64 hexadecimal digits)`,
    )
  return read.data
}

const WEI_PER_GWEI = 1e9

function walletOf(privateKey: Hex, given: Given): WalletSettings {
  const gwei = given.x402_max_fee_gwei ?? paymentDefaults.maxFeeGwei
  return { privateKey, maxFeePerGas: BigInt(Math.round(gwei * WEI_PER_GWEI)) }
}

function facilitatorOf(given: Given): FacilitatorSettings | undefined {
  const { x402_facilitator_url: url, x402_facilitator_token: token } = given
  return url === undefined ? undefined : { url, ...(token !== undefined && { token }) }
}

function regionsOf(given: Given, trustsProxy: boolean): RegionSettings | undefined {
  const { geo_mmdb: mmdb, geo_country_header: country, geo_region_header: region, geo_block: block } = given
  if (region !== undefined && country === undefined) {
    throw new UsageError('geo_region_header is set without geo_country_header (ASOF_GEO_COUNTRY_HEADER): set it too')
  }
  if (country !== undefined && region === undefined) {
    throw new UsageError(
      'geo_country_header is set without geo_region_header (ASOF_GEO_REGION_HEADER): set it too, because the country alone does not exclude Crimea, Donetsk and Luhansk',
    )
  }
  if (country !== undefined && !trustsProxy) {
    throw new UsageError(
      'geo_country_header is set without trust_proxy (ASOF_TRUST_PROXY): set it too, because only a trusted proxy may state the country',
    )
  }
  if (block === 'off') return 'off'
  const headers = country !== undefined && region !== undefined ? { country, region } : undefined
  if (mmdb !== undefined) return { database: mmdb, ...(headers && { headers }) }
  return headers && { headers }
}

/** An error about the regions of payments, as a usage error that names the settings; any other error unchanged. */
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
 * How payments are received, or `undefined` if they are not.
 *
 * @throws UsageError - settings that contradict each other, or one without another that it needs.
 */
export async function paymentSetupOf(given: Given, trustsProxy: boolean): Promise<PaymentSetup | undefined> {
  const { x402_pay_to: payTo, x402_rpc_url: rpcUrl } = given
  if (payTo === undefined) {
    const [stray] = Object.keys(given).filter(name => name.startsWith('x402_'))
    if (stray === undefined) return undefined
    throw new UsageError(`${stray} is set without x402_pay_to (X402_PAY_TO), the address to pay: set it too`)
  }
  const privateKey = await privateKeyOf(given)
  const facilitator = facilitatorOf(given)
  if ((privateKey === undefined) === (facilitator === undefined)) {
    throw new UsageError(
      'set exactly one of x402_settler_private_key (or x402_settler_private_key_file) and x402_facilitator_url',
    )
  }
  if (rpcUrl === undefined) {
    throw new UsageError(
      'x402_pay_to is set without x402_rpc_url (X402_RPC_URL), a node of the chain: set it too, because only the chain says whether a payment succeeded whose answer was lost, also with a facilitator',
    )
  }
  const defaults = paymentDefaults
  const regions = regionsOf(given, trustsProxy)
  return {
    settings: {
      terms: {
        payTo,
        network: given.x402_network ?? defaults.network,
        asset: given.x402_asset ?? defaults.asset,
        assetName: given.x402_asset_name ?? defaults.assetName,
        assetVersion: given.x402_asset_version ?? defaults.assetVersion,
        price: given.x402_price ?? defaults.price,
        maxTimeoutSeconds: given.x402_max_timeout_seconds ?? defaults.maxTimeoutSeconds,
      },
      confirmations: given.x402_confirmations ?? defaults.confirmations,
      confirmTimeoutMs: given.x402_confirm_timeout_ms ?? defaults.confirmTimeoutMs,
      reconcileMs: given.x402_reconcile_ms ?? defaults.reconcileMs,
      rpcUrl,
      ...(facilitator && { facilitator }),
      ...(privateKey !== undefined && { wallet: walletOf(privateKey, given) }),
    },
    ...(regions !== undefined && { regions }),
  }
}
