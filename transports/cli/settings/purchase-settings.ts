import { z } from 'zod'
import type { PurchaseSetup } from '../../../store/folder/index.ts'
import { UsageError } from '../command-failure.ts'
import { firstGiven, type Given, namesOf, optionsOf, settingTable } from './setting.ts'
import { webUrl } from './setting-types.ts'

const MIN_SECRET_BYTES = 32
const secret = z.string().min(1).max(1_000)

/** The settings of sales of plans by MPP. */
export const mppSettings = settingTable('mpp_', {
  secretKey: {
    isSecret: true,
    type: z
      .string()
      .max(1_000)
      .refine(value => Buffer.byteLength(value) >= MIN_SECRET_BYTES, {
        error: `must have at least ${MIN_SECRET_BYTES} bytes`,
      }),
    text: `sells plans by MPP: signs the challenges; at least ${MIN_SECRET_BYTES} random bytes`,
  },
  realm: {
    type: z.string().regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,200}$/, {
      error: 'must be 1 to 200 characters of ASCII without " and \\',
    }),
    unset: 'the host of `ASOF_BASE_URL`',
    text: 'name of the service in challenges',
  },
})

/** The settings of sales of plans by card. */
export const cardSettings = settingTable('stripe_', {
  secretKey: {
    isSecret: true,
    type: secret,
    text: 'sells plans by card. Needs `MPP_SECRET_KEY`, and a Stripe account with machine payments',
  },
  networkId: { type: secret, text: "the profile of your account in Stripe's network" },
  webhookSecret: {
    isSecret: true,
    type: secret,
    text: "verifies Stripe's events. Send `payment_intent.succeeded` and `charge.refunded` to `POST /plans/card-events`",
  },
  apiBase: { type: webUrl, unset: "Stripe's own", text: "address of Stripe's API; for tests" },
})

/**
 * Returns how plans are sold by MPP and by card, or `undefined` if they are sold by neither.
 *
 * @param baseUrl - the public address of the server, whose host name is the default realm.
 * @throws UsageError - a setting is set without another that it needs.
 */
export function purchaseSetupOf(given: Given, baseUrl: string | undefined): PurchaseSetup | undefined {
  const { secretKey, realm = baseUrl === undefined ? 'asof' : new URL(baseUrl).host } = optionsOf(mppSettings, given)
  const card = optionsOf(cardSettings, given)
  if (secretKey === undefined) {
    const stray = firstGiven(mppSettings, given) ?? firstGiven(cardSettings, given)
    if (stray === undefined) return undefined
    throw new UsageError(
      `${stray} is set without ${namesOf(mppSettings.secretKey)}, with which challenges are signed: set it too, to at least ${MIN_SECRET_BYTES} random bytes`,
    )
  }
  const mpp = { secretKey, realm }
  if (firstGiven(cardSettings, given) === undefined) return { mpp }
  const { secretKey: cardKey, webhookSecret, networkId, apiBase } = card
  if (cardKey === undefined || webhookSecret === undefined || networkId === undefined) {
    const { secretKey, webhookSecret, networkId } = cardSettings
    throw new UsageError(`cards need all of ${namesOf(secretKey)}, ${namesOf(webhookSecret)} and ${namesOf(networkId)}`)
  }
  return { mpp, card: { secretKey: cardKey, webhookSecret, networkId, apiBase } }
}
