import { stat } from 'node:fs/promises'
import path from 'node:path'
import { readPlainFile } from '@asof/core/internal'
import { unknownName } from '@asof/extract/errors'
import { z } from 'zod'
import { fieldPath, fieldReasons } from '../../../crawler/field-reason.ts'
import type { Plan } from '../../../service/accounts/index.ts'
import {
  type ClusterSetup,
  type LocalModelSettings,
  type LocalRerankerSettings,
  type OnnxModelSettings,
  settingsFile,
} from '../../../service/data-folder/index.ts'
import { type EmbeddingsSettings, type LlmSettings, printable, type RerankSettings } from '../../../service/index.ts'
import type { PaymentSetup, PurchaseSetup } from '../../../store/folder/index.ts'
import type { HttpSettings } from '../../http/index.ts'
import type { UpstreamSettings } from '../../upstream/index.ts'
import { UsageError } from '../command-failure.ts'
import { type Flags, flagKey, flagName } from '../flags.ts'
import { clusterNamedIn, clusterOf, clusterSettings, expectNoPasswords } from './cluster-settings.ts'
import { mcpOf, mcpSettings, oauthSettings } from './mcp-settings.ts'
import {
  embeddingsSettings,
  llmSettings,
  localModelSettings,
  localRerankerSettings,
  modelsOf,
  rerankSettings,
} from './model-settings.ts'
import { geoSettings, paymentSetupOf, x402Settings } from './payment-settings.ts'
import { parsedFile, readPlans } from './plan-settings.ts'
import { cardSettings, mppSettings, purchaseSetupOf } from './purchase-settings.ts'
import { crawlJobSettings, folderSettings, httpSettings, keylessSettings, processSettings } from './server-settings.ts'
import { type Given, hasPrefix, type OptionsOf, optionsOf, type Setting, variableOf } from './setting.ts'
import { storefrontSettings, upstreamOf } from './storefront-settings.ts'

/** The settings of each part of the program, in the order of help texts. */
export const settingTables = {
  process: processSettings,
  http: httpSettings,
  keyless: keylessSettings,
  folder: folderSettings,
  crawls: crawlJobSettings,
  cluster: clusterSettings,
  mcp: mcpSettings,
  oauth: oauthSettings,
  storefront: storefrontSettings,
  llm: llmSettings,
  embeddings: embeddingsSettings,
  local: localModelSettings,
  rerank: rerankSettings,
  reranker: localRerankerSettings,
  x402: x402Settings,
  geo: geoSettings,
  mpp: mppSettings,
  card: cardSettings,
} as const

/** The settings of `asof serve` by subject, as its help shows them. Settings without a flag are in no help. */
export const settingGroups: readonly (readonly [heading: string, tables: readonly (keyof typeof settingTables)[]])[] = [
  ['Server:', ['process', 'http']],
  ['Callers without a key:', ['keyless']],
  ['Index and live fetches:', ['folder']],
  ['Crawls of organizations:', ['crawls']],
  ['Cluster:', ['cluster']],
  ['Agents, by the Model Context Protocol:', ['mcp']],
  ['Storefront:', ['storefront']],
  ['Language model:', ['llm']],
]

/** All settings. */
export const allSettings: readonly Setting[] = Object.values(settingTables).flatMap(table => Object.values(table))

const settingNames = allSettings.map(({ name }) => name)
const settingsSchema = z.strictObject(Object.fromEntries(allSettings.map(({ name, type }) => [name, type.optional()])))

export interface Settings extends OptionsOf<typeof processSettings>, OptionsOf<typeof folderSettings> {
  /** How much one organization may crawl. */
  crawlJobs: OptionsOf<typeof crawlJobSettings>
  /** The language model that answers a `prompt`. Default: the built-in reader answers. */
  llm?: LlmSettings
  /** The model that computes embeddings of pages and queries. Default: none. */
  embeddings?: EmbeddingsSettings | LocalModelSettings | OnnxModelSettings
  /** The folder that has the models of `asof model add`. Default: see `modelsFolder`. */
  modelsFolder?: string
  /** The model that re-ranks the first results. Default: none. */
  reranking?: RerankSettings | LocalRerankerSettings
  /** How payments are received. Default: none are received. */
  payments?: PaymentSetup
  /** How plans are sold by MPP and by card. Default: neither is used. */
  purchases?: PurchaseSetup
  /** The plans that the storefront sells. Default: two built-in plans. */
  plans?: readonly Plan[]
  /** True if the language model rewords quotes. */
  storefrontWording: boolean
  /** The server that answers the calls of the storefront. Default: this process answers them. */
  storefrontUpstream?: UpstreamSettings
  /** Where the index is. Default: in the data folder. */
  cluster?: ClusterSetup
  http: HttpSettings
}

/**
 * Checks the settings from one source: the file, the environment or the flags.
 *
 * @param nameOf - the name of a setting in this source: a key of the file, a variable or a flag.
 * @throws UsageError - the message names every bad setting.
 */
function check(values: unknown, nameOf: (key: string) => string): Given {
  const result = settingsSchema.safeParse(values, { reportInput: true })
  if (result.success) return result.data
  const unknown = (name: string) => `unknown setting; ${unknownName(name, settingNames).hint}`
  const problems = fieldReasons(settingsSchema, result.error, unknown)
  throw new UsageError(problems.map(({ path, reason }) => `${nameOf(fieldPath(path))}: ${reason}`).join('; '))
}

/** Checks the settings that a source has. @param read - returns the value of a setting, or undefined. */
function checkEach(read: (setting: Setting) => unknown, nameOf: (key: string) => string): Given {
  const given = allSettings.map(setting => [setting.name, read(setting)]).filter(([, value]) => value !== undefined)
  return check(Object.fromEntries(given), nameOf)
}

/** Returns the settings in the file of a data folder as they are written there, not checked. */
async function writtenIn(dir: string): Promise<unknown> {
  if ((await stat(dir).catch(() => undefined))?.isDirectory() === false)
    throw new UsageError(`${dir} is not a folder; --data (or ASOF_DATA) must name a folder`)
  const file = settingsFile(dir)
  // The file is optional, because every setting has a default.
  const text = await readPlainFile(file)
  return text === undefined ? {} : parsedFile(file, text)
}

async function fromFile(dir: string): Promise<Given> {
  const file = settingsFile(dir)
  return check(await writtenIn(dir), key => (key === '' ? file : `${file}: ${key}`))
}

/** Variables of asof that are not settings. The names are without the prefix `ASOF_`. */
const otherVariables = ['DATA', 'URL', 'KEY', 'TRACE']

/**
 * Returns warnings about variables whose names look like misspelled variables of asof. A misspelled variable is not an error,
 * because other programs may use the prefix `ASOF_` too.
 */
export function misspelledVariables(env: NodeJS.ProcessEnv): string[] {
  const known = [...allSettings.filter(hasPrefix).map(({ name }) => name.toUpperCase()), ...otherVariables]
  return Object.keys(env).flatMap(name => {
    if (!name.startsWith('ASOF_') || known.includes(name.slice('ASOF_'.length))) return []
    const { nearest } = unknownName(name.slice('ASOF_'.length), known)
    return nearest === undefined ? [] : [`${printable(name)} is not a variable of asof; did you mean ASOF_${nearest}?`]
  })
}

/** Returns the value of a setting in the environment. An empty variable counts as missing. */
function inEnvironment(setting: Setting, env: NodeJS.ProcessEnv): string | undefined {
  return env[variableOf(setting)] || undefined
}

function fromEnvironment(env: NodeJS.ProcessEnv): Given {
  return checkEach(
    setting => inEnvironment(setting, env),
    name => variableOf({ name }),
  )
}

function fromFlags(flags: Flags): Given {
  const given = checkEach(setting => flags[flagKey(setting.name)], flagName)
  expectNoPasswords(given)
  return given
}

/** @throws UsageError - the seal is in the future, or a setting shows or deletes what a sealed index must not. */
function checkSeal(given: Given): void {
  if (Number(given.sealed_at) > Date.now()) throw new UsageError('sealed_at must not be in the future')
  const reasons = {
    retain: 'retention deletes versions that the sealed index has',
    storefront_upstream: 'another server answers for the storefront, and is not sealed with this one',
  }
  for (const [name, reason] of Object.entries(reasons))
    if (given[name] !== undefined) throw new UsageError(`sealed_at and ${name} are both set, but ${reason}`)
}

/**
 * Returns the settings for the data folder `dir`. A flag replaces a variable, and a variable replaces a key of
 * `<dir>/asof.json`.
 *
 * @throws UsageError - the message names the flag, variable or key that is unknown or has a bad value.
 */
export async function loadSettings(dir: string, flags: Flags, env: NodeJS.ProcessEnv): Promise<Settings> {
  const given = { ...(await fromFile(dir)), ...fromEnvironment(env), ...fromFlags(flags) }
  const http = optionsOf(httpSettings, given)
  const models = modelsOf(given)
  const { wording, plansFile } = optionsOf(storefrontSettings, given)
  if (wording && !models.llm)
    throw new UsageError(
      'storefront_wording is on without a language model: set llm_url (ASOF_LLM_URL) and llm_model (ASOF_LLM_MODEL) too',
    )
  if (given.sealed_at !== undefined) checkSeal(given)
  return {
    ...optionsOf(processSettings, given),
    ...optionsOf(folderSettings, given),
    crawlJobs: optionsOf(crawlJobSettings, given),
    ...models,
    modelsFolder: optionsOf(localModelSettings, given).folder,
    cluster: clusterOf(given),
    purchases: purchaseSetupOf(given, http.baseUrl),
    storefrontWording: wording,
    storefrontUpstream: upstreamOf(given),
    payments: await paymentSetupOf(given, http.trustProxy !== undefined),
    plans: plansFile === undefined ? undefined : await readPlans(plansFile),
    http: { ...http, mcp: mcpOf(given), keylessLimits: optionsOf(keylessSettings, given) },
  }
}

/** The value that a setting has, and where it comes from. */
export interface EffectiveSetting {
  name: string
  variable: string
  /** As it was written. The value of a secret is `set`. Undefined if no value is given and there is no default. */
  value: unknown
  /** Where the value was written. `default` if it was written nowhere. */
  from: 'flag' | 'environment' | 'file' | 'default'
}

/**
 * Returns all settings for a data folder with the values that are in effect.
 *
 * @throws UsageError - as {@link loadSettings}.
 */
export async function effectiveSettings(
  dir: string,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<EffectiveSetting[]> {
  await loadSettings(dir, flags, env)
  const written = (await writtenIn(dir)) as Given
  return allSettings.map(setting => {
    const sources = {
      flag: flags[flagKey(setting.name)],
      environment: inEnvironment(setting, env),
      file: written[setting.name],
    }
    const given = Object.entries(sources).find(([, value]) => value !== undefined)
    return {
      name: setting.name,
      variable: variableOf(setting),
      value: given ? shownValue(setting, given[1]) : setting.default,
      from: (given?.[0] ?? 'default') as EffectiveSetting['from'],
    }
  })
}

/** Returns a value that may be printed: no secret, and no URL with its password. */
function shownValue({ isSecret }: Setting, value: unknown): unknown {
  if (isSecret) return 'set'
  if (typeof value !== 'string' || !URL.canParse(value)) return value
  const url = new URL(value)
  if (url.password === '') return value
  url.password = '***'
  return url.href
}

/** Returns where the cluster is that the settings name, whether or not they put the index there. @throws UsageError */
export async function clusterSetup(dir: string, flags: Flags, env: NodeJS.ProcessEnv): Promise<ClusterSetup> {
  return clusterNamedIn({ ...(await fromFile(dir)), ...fromEnvironment(env), ...fromFlags(flags) })
}

/**
 * Returns the absolute path of the data folder: from `--data`, else from `ASOF_DATA`, else `byDefault` in the working
 * directory.
 */
export function dataDir(flags: Flags, env: NodeJS.ProcessEnv, byDefault = 'data'): string {
  return path.resolve(typeof flags.data === 'string' ? flags.data : env.ASOF_DATA || byDefault)
}
