import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface FakeStripe {
  url: string
  /** The parameters of each card that was charged. */
  charges: Record<string, string>[]
  /** From now on, answers of charges are lost after the charge, or not any more. */
  loseAnswers(lost: boolean): void
  /** From now on, charges succeed but are answered with this instead; `undefined`: not any more. */
  answerWith(answer: { status: number; body: object } | undefined): void
  /** The number of searches for a charge. */
  searches(): number
  /** Deletes the answers that it keeps under idempotency keys, as Stripe does after a day. */
  forgetKeys(): void
  close(): Promise<void>
}

/** Answers like Stripe's API for payment intents, with its idempotency keys. The token `spt_declined` is declined, and `spt_expired` can't be used. */
export async function startFakeStripe(): Promise<FakeStripe> {
  const charges: Record<string, string>[] = []
  const answers = new Map<string, { asked: string; status: number; body: object }>()
  let isLost = false
  let searches = 0
  let other: { status: number; body: object } | undefined
  const charge = (asked: string): { status: number; body: object } => {
    const parameters = Object.fromEntries(new URLSearchParams(asked))
    if (parameters.shared_payment_granted_token === 'spt_declined') {
      const error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', message: 'no' }
      return { status: 402, body: { error } }
    }
    if (parameters.shared_payment_granted_token === 'spt_expired') {
      return { status: 400, body: { error: { type: 'invalid_request_error', code: 'token_expired', message: 'no' } } }
    }
    charges.push(parameters)
    return { status: 200, body: { id: `pi_${charges.length}`, object: 'payment_intent', status: 'succeeded' } }
  }
  const server = createServer(async (request, response) => {
    const asked = await text(request)
    if (request.method === 'GET' && request.url?.startsWith('/v1/payment_intents/search?')) {
      searches += 1
      const query = new URL(request.url, 'http://stripe').searchParams.get('query') ?? ''
      const proof = /^metadata\['asof_proof'\]:'([^']+)'$/.exec(query)?.[1]
      const data = charges.flatMap((charge, i) => {
        const metadata = { asof_agent: charge['metadata[asof_agent]'], asof_proof: charge['metadata[asof_proof]'] }
        return metadata.asof_proof === proof ? [{ id: `pi_${i + 1}`, status: 'succeeded', metadata }] : []
      })
      return response.end(JSON.stringify({ object: 'search_result', data, has_more: false }))
    }
    const key = String(request.headers['idempotency-key'])
    const before = answers.get(key)
    response.setHeader('content-type', 'application/json')
    if (request.method !== 'POST' || request.url !== '/v1/payment_intents') return response.writeHead(404).end('{}')
    if (before && before.asked !== asked) {
      return response.writeHead(400).end(JSON.stringify({ error: { type: 'idempotency_error', message: 'differs' } }))
    }
    const { status, body } = before ?? charge(asked)
    answers.set(key, { asked, status, body })
    if (isLost) return response.destroy()
    if (other) return response.writeHead(other.status).end(JSON.stringify(other.body))
    return response.writeHead(status).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    loseAnswers: lost => {
      isLost = lost
    },
    answerWith: answer => {
      other = answer
    },
    searches: () => searches,
    forgetKeys: () => answers.clear(),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
