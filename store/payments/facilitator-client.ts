import { Agent, fetch } from 'undici'
import { z } from 'zod'
import type { PaymentOption, payloadFor } from './offer.ts'
import type { FacilitatorSettings } from './payment-settings.ts'

/** Maximum size of an answer. Typical answers have a few hundred bytes. */
export const MAX_FACILITATOR_BYTES = 256 * 1024

const verified = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() })
const settled = z.object({
  success: z.boolean(),
  errorReason: z.string().nullish(),
  transaction: z.string().nullish(),
})
const supported = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
})

/** The answer of a facilitator to `verify`, which is not trusted. */
export type FacilitatorVerdict = z.output<typeof verified>
/** The answer of a facilitator to `settle`, which is not trusted. */
export type FacilitatorSettlement = z.output<typeof settled>

/**
 * An HTTP client for a facilitator. It does not follow redirects, which would send the token and the signed payment
 * elsewhere, reads at most 256 KiB of an answer, and applies the time limit to the whole answer. It never retries a request.
 *
 * Every method throws if there is no answer in time, or if the answer is a redirect, has a 5xx status, is too large or does
 * not have the expected form.
 */
export class FacilitatorClient {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #timeoutMs: number
  readonly #dispatcher = new Agent({ maxResponseSize: MAX_FACILITATOR_BYTES })

  /** @param timeoutMs - time limit of one request, from its start to the end of its answer. */
  constructor({ url, token }: FacilitatorSettings, timeoutMs: number) {
    this.#url = url.replace(/\/+$/, '')
    this.#headers = { 'content-type': 'application/json' }
    if (token !== undefined) this.#headers.authorization = `Bearer ${token}`
    this.#timeoutMs = timeoutMs
  }

  verify(payment: ReturnType<typeof payloadFor>, option: PaymentOption): Promise<FacilitatorVerdict> {
    return this.#ask('verify', verified, this.#bodyOf(payment, option))
  }

  settle(payment: ReturnType<typeof payloadFor>, option: PaymentOption): Promise<FacilitatorSettlement> {
    return this.#ask('settle', settled, this.#bodyOf(payment, option))
  }

  async kinds(): Promise<z.output<typeof supported>['kinds']> {
    return (await this.#ask('supported', supported)).kinds
  }

  #bodyOf(payment: ReturnType<typeof payloadFor>, option: PaymentOption): string {
    return JSON.stringify({
      x402Version: payment.x402Version,
      paymentPayload: payment,
      paymentRequirements: option,
    })
  }

  async #ask<Answer extends z.ZodType>(operation: string, form: Answer, body?: string): Promise<z.output<Answer>> {
    const response = await fetch(`${this.#url}/${operation}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: this.#headers,
      body,
      redirect: 'error',
      dispatcher: this.#dispatcher,
      signal: AbortSignal.timeout(this.#timeoutMs),
    })
    if (response.status >= 500) {
      await response.body?.cancel()
      throw new Error(`the facilitator answered ${operation} with ${response.status}`)
    }
    const parsed = form.safeParse(await response.json())
    // A 4xx status is not an error: facilitators reject payments with it, in an answer of the expected form.
    if (!parsed.success)
      throw new Error(`the facilitator answered ${operation} (${response.status}) in an unknown form`)
    return parsed.data
  }
}
