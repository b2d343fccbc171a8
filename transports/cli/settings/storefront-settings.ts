import { z } from 'zod'
import type { UpstreamSettings } from '../../upstream/index.ts'
import { UsageError } from '../usage-error.ts'
import { boolean } from './setting-values.ts'

/** The settings of a storefront in front of another server, by their names in `asof.json`. */
export const storefrontFields = {
  storefront_upstream: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  storefront_upstream_key: z.string().min(1).optional(),
  storefront_wording: boolean.optional(),
}

type Given = z.output<z.ZodObject<typeof storefrontFields>>

/** @throws UsageError - one of the two is missing. */
export function storefrontUpstreamOf(given: Given): UpstreamSettings | undefined {
  const { storefront_upstream: url, storefront_upstream_key: key } = given
  if (url === undefined && key === undefined) return undefined
  if (url === undefined)
    throw new UsageError(
      'storefront_upstream_key is set without a server: set storefront_upstream (STOREFRONT_UPSTREAM) too',
    )
  if (key === undefined)
    throw new UsageError(
      'storefront_upstream is set without an API key: set storefront_upstream_key (STOREFRONT_UPSTREAM_KEY) too',
    )
  return { url, key }
}
