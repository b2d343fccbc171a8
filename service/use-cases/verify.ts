import type { QuoteVerdict } from '@asof/core'
import { normalizeUrl, queryInstant } from '@asof/core/internal'
import type { FieldProblem } from '../contract/error-schema.ts'
import { refusedFields, toServiceError } from '../contract/errors.ts'
import type { VerifyRequest, VerifyResponse } from '../contract/quote-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { IndexReads } from '../fair-shares/fair-index.ts'

/**
 * Checks what the schema of a request to verify quotes can't: URLs and times.
 *
 * @param now - the current time, epoch ms.
 * @returns the instant of each `query_time`, epoch ms.
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
export function checkVerifyFields({ quotes }: VerifyRequest, now: number): (number | undefined)[] {
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

/** Judges quotes, see `Engine.verifyAll`. @throws ServiceError invalid_request - see {@link checkVerifyFields}. */
export async function answerVerify(
  { engine, now }: { engine: IndexReads; now: () => number },
  request: VerifyRequest,
): Promise<VerifyResponse> {
  const instants = checkVerifyFields(request, now())
  const quotes = request.quotes.map(({ url, quote }, i) => ({ url, quote, queryTime: instants[i] }))
  return { verdicts: (await engine.verifyAll(quotes)).map(wireVerdict) }
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
