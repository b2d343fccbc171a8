import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { unknownName } from '@asof/core'
import { z } from 'zod'
import { fieldReasons } from '../../../crawler/field-reason.ts'
import type { Plan } from '../../../service/accounts/index.ts'
import { settingsFile } from '../../../service/data-folder/data-folder.ts'
import type { PaymentSetup, PurchaseSetup } from '../../../service/data-folder/index.ts'
import {
  type EmbeddingsSettings,
  faultText,
  jsonFault,
  type LlmSettings,
  printable,
  type RerankSettings,
} from '../../../service/index.ts'
import type { HttpSettings } from '../../http/index.ts'
import type { UpstreamSettings } from '../../upstream/index.ts'
import { flagKey, flagName } from '../flag-name.ts'
import { UsageError } from '../usage-error.ts'
import { type LogLevel, logLevels } from './log-level.ts'
import { mcpFields, mcpOf } from './mcp-settings.ts'
import { embeddingsOf, llmOf, modelFields, rerankingOf } from './model-settings.ts'
import { paymentSettingsShape, paymentSetupOf } from './payment-settings.ts'
import { readPlans } from './plan-settings.ts'
import { purchaseSettingsShape, purchaseSetupOf } from './purchase-settings.ts'
import { boolean, hostName, origin, proxies, readInteger, readList, readProxies } from './setting-values.ts'
import { storefrontFields, storefrontUpstreamOf } from './storefront-settings.ts'

/**
 * Every setting of a server by its name in `asof.json`. The setting `base_url` is `ASOF_BASE_URL` in the environment and
 * `--base-url` on the command line; variables of payments and of the storefront, such as `X402_PRICE`, have no `ASOF_`.
 */
const settingsSchema = z.strictObject({
  host: z.string().min(1).optional(),
  port: z.preprocess(readInteger, z.int().min(0).max(65_535)).optional(),
  base_url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  hosts: z.preprocess(readList, z.array(hostName).min(1)).optional(),
  trust_proxy: z.preprocess(readProxies, proxies).optional(),
  allow_private: boolean.optional(),
  store_live: boolean.optional(),
  live_robots: boolean.optional(),
  retain: z
    .string()
    .regex(/^\d{1,6}(?:min|h|d|w|mo|y)$/, { error: 'must be a duration such as 90d, 6mo or 2y' })
    .optional(),
  search_timeout_ms: z.preprocess(readInteger, z.int().min(1).max(3_600_000)).optional(),
  cache_mb: z.preprocess(readInteger, z.int().min(1).max(65_536)).optional(),
  admin_token: z
    .string()
    .regex(/^[\x21-\x7e]{16,1000}$/, { error: 'must be 16 to 1,000 characters of printable ASCII without spaces' })
    .optional(),
  ...modelFields,
  keyless_per_second: z.preprocess(readInteger, z.int().min(1)).optional(),
  keyless_per_hour: z.preprocess(readInteger, z.int().min(1)).optional(),
  max_connections_per_address: z.preprocess(readInteger, z.int().min(1).max(100_000)).optional(),
  max_under_way: z.preprocess(readInteger, z.int().min(1).max(100_000)).optional(),
  cors_origins: z.preprocess(readList, z.array(origin).min(1)).optional(),
  compression: boolean.optional(),
  metrics: boolean.optional(),
  plans_file: z.string().min(1).optional(),
  ...storefrontFields,
  ...mcpFields,
  log_level: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).optional(),
  ...paymentSettingsShape,
  ...purchaseSettingsShape,
})

type Given = z.output<typeof settingsSchema>
type SettingName = keyof Given

const settingNames = Object.keys(settingsSchema.shape) as SettingName[]

export interface Settings {
  /** Default 127.0.0.1. */
  host: string
  /** Default 8787; 0 picks a free port. */
  port: number
  /** True if loopback, private, link-local and metadata addresses may be fetched. Default false. */
  allowPrivate: boolean
  /** True if pages that callers fetch live are added to the index. Default false. */
  storeLive: boolean
  /** True if live fetches obey robots.txt. Default false. */
  liveRobots: boolean
  /** Time after which superseded captures are deleted, such as `90d`. Default: they are kept. */
  retain?: string
  /** Memory for the index's caches, bytes. Default: the engine's. */
  cacheBytes?: number
  /** Limit of the processor time of one search, milliseconds. Default: the engine's. */
  searchTimeoutMs?: number
  /** The language model that answers a `prompt`. Default: the built-in reader answers. */
  llm?: LlmSettings
  /** The model that computes embeddings of pages and queries. Default: none. */
  embeddings?: EmbeddingsSettings
  /** The model that re-ranks the first results. Default: none. */
  reranking?: RerankSettings
  /** The least severe level that is logged. Default: the command's. */
  logLevel?: LogLevel
  /** How payments are received. Default: they are not. */
  payments?: PaymentSetup
  /** How plans are sold by MPP and by card. Default: they are not. */
  purchases?: PurchaseSetup
  /** The plans that the storefront sells. Default: 1,000 calls for $4.00, and 10,000 calls in 30 days for $40.00. */
  plans?: readonly Plan[]
  /** True if the language model rewords quotes. Default false. */
  storefrontWording?: boolean
  /** The server that answers the calls of the storefront. Default: this process answers them. */
  storefrontUpstream?: UpstreamSettings
  http: HttpSettings
}

/**
 * Checks the settings of one source.
 *
 * @param nameOf - the name of a setting in this source: a key of the file, a variable or a flag.
 * @throws UsageError - the message names every bad setting.
 */
function check(values: unknown, nameOf: (key: string) => string): Given {
  const parsed = settingsSchema.safeParse(values, { reportInput: true })
  if (parsed.success) return parsed.data
  const unknown = (name: string) => `unknown setting; ${unknownName(name, settingNames).hint}`
  const problems = fieldReasons(settingsSchema, parsed.error, unknown)
  throw new UsageError(problems.map(({ path, reason }) => `${nameOf(path.join('.'))}: ${reason}`).join('; '))
}

async function fromFile(dir: string) {
  const file = settingsFile(dir)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    // Most data folders have no such file: every setting has a default.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return {}
    if (code === 'ENOTDIR') throw new UsageError(`${dir} is not a folder; --data (or ASOF_DATA) must name a folder`)
    throw error
  }
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch (cause) {
    const fault = jsonFault(text)
    throw new UsageError(`${file} is not valid JSON${fault === undefined ? '' : `: ${faultText(fault)}`}`, { cause })
  }
  return check(values, key => (key === '' ? file : `${file}: ${key}`))
}

const hasPrefix = (key: string) => !/^(?:x402|mpp|stripe|storefront)_/.test(key)
const variable = (key: string) => (hasPrefix(key) ? `ASOF_${key.toUpperCase()}` : key.toUpperCase())

/** Variables of asof that are not settings, without `ASOF_`. */
const otherVariables = ['DATA', 'URL', 'KEY', 'TRACE']

/**
 * Warnings about variables whose names look like misspelled ones of asof. They are not errors, because other programs may
 * use the prefix `ASOF_` too.
 */
export function misspelledVariables(env: NodeJS.ProcessEnv): string[] {
  const known = [...settingNames.filter(hasPrefix).map(name => name.toUpperCase()), ...otherVariables]
  return Object.keys(env).flatMap(name => {
    if (!name.startsWith('ASOF_') || known.includes(name.slice('ASOF_'.length))) return []
    const { nearest } = unknownName(name.slice('ASOF_'.length), known)
    return nearest === undefined ? [] : [`${printable(name)} is not a variable of asof; did you mean ASOF_${nearest}?`]
  })
}

function fromEnvironment(env: NodeJS.ProcessEnv) {
  const given = settingNames.flatMap(name => {
    const value = env[variable(name)]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return check(Object.fromEntries(given), variable)
}

/** Flags as commander parsed them, by their names in camel case. */
export type Flags = Readonly<Record<string, unknown>>

function fromFlags(flags: Flags) {
  const given = settingNames.flatMap(name => {
    const value = flags[flagKey(name)]
    return value === undefined ? [] : [[name, value] as const]
  })
  return check(Object.fromEntries(given), flagName)
}

/**
 * The settings for the data folder `dir`. A flag wins over the environment, the environment over `<dir>/asof.json`.
 *
 * @throws UsageError - the message names the flag, variable or key that is unknown or has a bad value.
 */
export async function loadSettings(dir: string, flags: Flags, env: NodeJS.ProcessEnv): Promise<Settings> {
  const given = { ...(await fromFile(dir)), ...fromEnvironment(env), ...fromFlags(flags) }
  const llm = llmOf(given)
  const embeddings = embeddingsOf(given)
  const reranking = rerankingOf(given)
  const { base_url: baseUrl, trust_proxy: trustProxy, admin_token: adminToken } = given
  const { keyless_per_second, keyless_per_hour, log_level: logLevel, metrics: publicMetrics, compression } = given
  const { max_under_way: maxUnderWay, cors_origins: corsOrigins, hosts } = given
  const { max_connections_per_address: maxConnectionsPerAddress } = given
  const purchases = purchaseSetupOf(given, baseUrl)
  if (given.storefront_wording && !llm)
    throw new UsageError(
      'storefront_wording is on without a language model: set llm_url (ASOF_LLM_URL) and llm_model (ASOF_LLM_MODEL) too',
    )
  const storefrontUpstream = storefrontUpstreamOf(given)
  const payments = await paymentSetupOf(given, trustProxy !== undefined && trustProxy !== false)
  return {
    host: given.host ?? '127.0.0.1',
    port: given.port ?? 8787,
    allowPrivate: given.allow_private ?? false,
    storeLive: given.store_live ?? false,
    liveRobots: given.live_robots ?? false,
    ...(given.retain === undefined ? {} : { retain: given.retain }),
    ...(given.search_timeout_ms === undefined ? {} : { searchTimeoutMs: given.search_timeout_ms }),
    ...(given.cache_mb === undefined ? {} : { cacheBytes: given.cache_mb * 2 ** 20 }),
    ...(llm === undefined ? {} : { llm }),
    ...(embeddings === undefined ? {} : { embeddings }),
    ...(reranking === undefined ? {} : { reranking }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(payments === undefined ? {} : { payments }),
    ...(purchases === undefined ? {} : { purchases }),
    ...(given.storefront_wording === undefined ? {} : { storefrontWording: given.storefront_wording }),
    ...(storefrontUpstream === undefined ? {} : { storefrontUpstream }),
    ...(given.plans_file === undefined ? {} : { plans: await readPlans(given.plans_file) }),
    http: {
      mcp: mcpOf(given),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(hosts === undefined ? {} : { hosts }),
      ...(maxConnectionsPerAddress === undefined ? {} : { maxConnectionsPerAddress }),
      ...(trustProxy === undefined || trustProxy === false ? {} : { trustProxy }),
      ...(adminToken === undefined ? {} : { adminToken }),
      ...(maxUnderWay === undefined ? {} : { maxUnderWay }),
      ...(corsOrigins === undefined ? {} : { corsOrigins }),
      ...(compression === undefined ? {} : { compression }),
      ...(publicMetrics === undefined ? {} : { publicMetrics }),
      keylessLimits: { perSecond: keyless_per_second ?? 10, perHour: keyless_per_hour ?? 1_000 },
    },
  }
}

/** Absolute path of the data folder: `--data`, or else `ASOF_DATA`, or else `byDefault` in the working directory. */
export function dataDir(flags: Flags, env: NodeJS.ProcessEnv, byDefault = 'data'): string {
  return path.resolve(typeof flags.data === 'string' ? flags.data : env.ASOF_DATA || byDefault)
}
