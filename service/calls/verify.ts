import type { QuoteVerdict } from '@asof/core'
import { normalizeUrl, queryInstant } from '@asof/core/internal'
import type { FieldProblem } from '../contract/error-schema.ts'
import { refusedFields, toServiceError } from '../contract/errors.ts'
import { type VerifyRequest, verifyRequest, verifyResponse } from '../contract/quote-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { CallOf } from './call.ts'

/**
 * Checks what the schema of a request to verify quotes can't: URLs and times.
 *
 * @param now - the current time, epoch ms.
 * @returns the instant of each `query_time`, epoch ms.
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
function checkVerifyFields({ quotes }: VerifyRequest, now: number): (number | undefined)[] {
  const problems: FieldProblem[] = []
  const attempt = <T>(path: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (failure) {
      const { message, details: [problem] = [] } = toServiceError(failure)
      problems.push({ path, reason: problem?.reason ?? message })
      return undefined
    }
  }
  const instants = quotes.map(({ url, query_time: time }, i) => {
    attempt(`quotes[${i}].url`, () => normalizeUrl(url))
    return time === undefined ? undefined : attempt(`quotes[${i}].query_time`, () => queryInstant(time, now))
  })
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
  return instants
}

function wireVerdict({ version, passage, stood, instant, readFrom, ...verdict }: QuoteVerdict) {
  return {
    verdict: verdict.verdict,
    url: verdict.url,
    instant: timestamp(instant),
    acquired_at: timestamp(version?.acquiredAt),
    last_seen_at: timestamp(version?.lastSeenAt),
    passage: passage && { text: passage.text, start: passage.place[0], end: passage.place[1] },
    differences: verdict.differences,
    stood: stood.map(({ from, until }) => ({ from: timestamp(from), until: timestamp(until) })),
    read_from: timestamp(readFrom),
  }
}

/** Maximum size of a request: 100 quotes are larger than other requests. */
const VERIFY_BYTES = 1024 * 1024

/** Whether pages have quotes, see `Engine.verifyAll`. Costs as much as one fetch, however many quotes there are. */
export const verifyCall = {
  request: verifyRequest,
  response: verifyResponse,
  methods: ['POST'],
  bodyLimitBytes: VERIFY_BYTES,
  callers: 'all',
  described: { summary: 'Verify quotes of pages', answer: 'The verdicts.' },
  past: {
    timesOf: ({ quotes }) =>
      quotes.flatMap(({ query_time: time }, i) =>
        time === undefined ? [] : [{ name: `quotes[${i}].query_time`, time }],
      ),
    at: (request, { time }) => ({
      ...request,
      quotes: request.quotes.map(quote => ({ ...quote, query_time: quote.query_time ?? time })),
    }),
  },
  failures: [],
  charged: {
    kind: 'fetch',
    sku: () => 'fetch',
    title: 'Verification of quotes',
    noun: 'verification',
    indexOf: ({ body: { verdicts } }) => ({ verdicts: verdicts.length }),
    needsNoPages: false,
    refusedUnderZeroRetention: () => undefined,
    failedUpstream: 'storefront_unavailable',
  },
  check: async ({ now }, request) => {
    checkVerifyFields(request, now())
  },
  run: async ({ engine, now }, request) => {
    const at = now()
    const instants = checkVerifyFields(request, at)
    const quotes = request.quotes.map(({ url, quote }, i) => ({ url, quote, queryTime: instants[i] }))
    const verdicts = await engine.verifyAll(quotes)
    return { body: { verdicts: verdicts.map(wireVerdict) }, instant: verdicts[0]?.instant ?? at }
  },
} satisfies CallOf<typeof verifyRequest, typeof verifyResponse>
