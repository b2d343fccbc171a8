import { z } from 'zod'
import type { PurchaseSetup } from '../../../service/data-folder/index.ts'
import { UsageError } from '../usage-error.ts'

const MIN_SECRET_BYTES = 32
const secret = z.string().min(1).max(1_000)

/** The settings of purchases by their names in `asof.json`. Their variables do not begin with `ASOF_`. */
export const purchaseSettingsShape = {
  mpp_secret_key: z
    .string()
    .max(1_000)
    .refine(value => Buffer.byteLength(value) >= MIN_SECRET_BYTES, {
      error: `must have at least ${MIN_SECRET_BYTES} bytes`,
    })
    .optional(),
  mpp_realm: z
    .string()
    .regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,200}$/, { error: 'must be 1 to 200 characters of ASCII without " and \\' })
    .optional(),
  stripe_secret_key: secret.optional(),
  stripe_webhook_secret: secret.optional(),
  stripe_network_id: secret.optional(),
  stripe_api_base: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
}

type Given = z.output<z.ZodObject<typeof purchaseSettingsShape>>

/**
 * How plans are sold by MPP and by card, or `undefined` if they are not.
 *
 * @param baseUrl - the public address of the server, whose host name is the default realm.
 * @throws UsageError - one setting without another that it needs.
 */
export function purchaseSetupOf(given: Given, baseUrl: string | undefined): PurchaseSetup | undefined {
  const { mpp_secret_key: secretKey, mpp_realm: realm, ...card } = given
  const [stray] = Object.keys(given).filter(name => name.startsWith('stripe_') || name.startsWith('mpp_'))
  if (secretKey === undefined) {
    if (stray === undefined) return undefined
    throw new UsageError(
      `${stray} is set without mpp_secret_key (MPP_SECRET_KEY), with which challenges are signed: set it too, to at least ${MIN_SECRET_BYTES} random bytes`,
    )
  }
  const mpp = { secretKey, realm: realm ?? (baseUrl === undefined ? 'asof' : new URL(baseUrl).host) }
  const { stripe_secret_key: cardKey, stripe_webhook_secret: webhookSecret, stripe_network_id: networkId } = card
  const { stripe_api_base: apiBase } = card
  const cardSettings = [cardKey, webhookSecret, networkId, apiBase]
  if (cardSettings.every(value => value === undefined)) return { mpp }
  if (cardKey === undefined || webhookSecret === undefined || networkId === undefined) {
    throw new UsageError(
      'cards need all of stripe_secret_key (STRIPE_SECRET_KEY), stripe_webhook_secret (STRIPE_WEBHOOK_SECRET) and stripe_network_id (STRIPE_NETWORK_ID)',
    )
  }
  return { mpp, card: { secretKey: cardKey, webhookSecret, networkId, ...(apiBase !== undefined && { apiBase }) } }
}
