import type { UpstreamSettings } from '../../upstream/index.ts'
import { UsageError } from '../command-failure.ts'
import { type Given, namesOf, optionsOf, settingTable } from './setting.ts'
import { boolean, nonEmptyText, webUrl } from './setting-types.ts'

/** The settings of the storefront, apart from payments. */
export const storefrontSettings = settingTable('storefront_', {
  plansFile: {
    name: 'plans_file',
    type: nonEmptyText,
    unset: '1,000 calls for $4.00, and 10,000 calls in 30 days for $40.00',
    flag: '<file>',
    text: '[plans](agent-plans.md#what-a-plan-includes) that the storefront sells, as JSON',
  },
  upstream: {
    type: webUrl,
    unset: 'this server',
    flag: '<url>',
    text: '[another server](agent-plans.md#in-front-of-another-server) that answers the calls of the storefront, with the key of `STOREFRONT_UPSTREAM_KEY`',
  },
  upstreamKey: { type: nonEmptyText, isSecret: true, text: 'its API key; never logged' },
  wording: {
    type: boolean,
    default: false,
    flag: '',
    text: 'let the language model reword [quotes](advisor.md)',
  },
})

/** @throws UsageError - the server is set without its key, or the key without the server. */
export function upstreamOf(given: Given): UpstreamSettings | undefined {
  const { upstream, upstreamKey } = storefrontSettings
  const { upstream: url, upstreamKey: key } = optionsOf(storefrontSettings, given)
  if (url !== undefined && key !== undefined) return { url, key }
  if (url !== undefined)
    throw new UsageError(`${upstream.name} is set without an API key: set ${namesOf(upstreamKey)} too`)
  if (key !== undefined)
    throw new UsageError(`${upstreamKey.name} is set without a server: set ${namesOf(upstream)} too`)
  return undefined
}
