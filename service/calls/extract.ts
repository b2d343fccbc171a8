import { normalizeUrl, queryInstant } from '@asof/core/internal'
import type { FieldProblem } from '../contract/error-schema.ts'
import { refusedFields, toServiceError } from '../contract/errors.ts'
import {
  type ExtractRequest,
  type ExtractResponse,
  extractRequest,
  extractResponse,
} from '../contract/extract-schemas.ts'
import { timestamp } from '../contract/wire-form.ts'
import { askModel } from '../extraction/ask-model.ts'
import { extractValues } from '../extraction/extract-values.ts'
import { READ_UNITS } from '../extraction/quoted-values.ts'
import { type ObjectSchema, parseValueSchema } from '../extraction/value-schema.ts'
import type { AnsweredHere, CallContext, CallOf, CheckSources, Sources } from './call.ts'
import { refusedByRetention } from './caller-policy.ts'
import { inOrder } from './in-order.ts'
import { notIndexed } from './not-indexed.ts'
import { byQueryTime } from './query-time.ts'

/** A request whose schema and time have been read. */
interface CheckedRequest {
  /** Undefined for now. */
  instant: number | undefined
  schema: ObjectSchema
}

/**
 * Checks what the schema of a request can't: URLs, the time, the schema of the values, and whether there is a model.
 *
 * @throws ServiceError invalid_request - `details` names every invalid field.
 */
function checkExtractFields(
  { urls, schema, query_time: time, model }: ExtractRequest,
  { now, hasModel }: Pick<CheckSources, 'now' | 'hasModel'>,
): CheckedRequest {
  const problems: FieldProblem[] = []
  const attempt = <T>(path: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (failure) {
      const { message, details } = toServiceError(failure)
      if (path === 'schema' && details) problems.push(...details)
      else problems.push({ path, reason: details?.[0]?.reason ?? message })
      return undefined
    }
  }
  for (const [i, url] of urls.entries()) attempt(`urls[${i}]`, () => normalizeUrl(url))
  const read = attempt('schema', () => parseValueSchema(schema))
  const instant = time === undefined ? undefined : attempt('query_time', () => queryInstant(time, now()))
  if (model && !hasModel) problems.push({ path: 'model', reason: 'this server has no language model; leave it out' })
  if (!read || problems.length > 0) throw refusedFields('invalid_request', problems)
  return { instant, schema: read }
}

/**
 * Reads the values of a schema from each page as of `query_time` or now.
 *
 * @throws ServiceError not_indexed - the index has none of the pages.
 * @throws ServiceError overloaded - a queue is full.
 * @throws ServiceError internal_error - the language model failed.
 */
async function answerExtract(
  { engine, readFor, ...checks }: Sources,
  request: ExtractRequest,
  { client, signal: given }: CallContext,
): Promise<AnsweredHere<ExtractResponse>> {
  const { instant, schema } = checkExtractFields(request, checks)
  const answeredFor = instant ?? checks.now()
  const ended = new AbortController()
  const signal = given ? AbortSignal.any([given, ended.signal]) : ended.signal
  async function resultOf(url: string): Promise<ExtractResponse['results'][number]> {
    signal.throwIfAborted()
    const page = await engine.page(url, { queryTime: instant, markdownMaxLength: READ_UNITS + 1 })
    if (!page) return { url: normalizeUrl(url), values: null, from: [], missing: [], error: 'not_indexed' }
    const ask = askModel(async instruction => (await readFor(page, instruction, { client, signal })).content)
    const { values, from, missing } = await extractValues(page, schema, request.model ? ask : undefined)
    return { url: page.url, acquired_at: timestamp(page.acquiredAt), values, from: [...from], missing: [...missing] }
  }
  const results = await inOrder(request.urls, url =>
    resultOf(url).catch((failure: unknown) => {
      // The other pages are of no use without this one.
      ended.abort(failure)
      throw failure
    }),
  )
  if (results.every(({ error }) => error !== undefined)) throw notIndexed(instant)
  return { body: { results }, instant: answeredFor }
}

/** Maximum size of a request: a schema of 64 properties with their descriptions, and 20 URLs. */
const EXTRACT_BYTES = 128 * 1024

/** Values of pages by a JSON Schema, each with the passage that states it. Costs as much as one fetch. */
export const extractCall = {
  request: extractRequest,
  response: extractResponse,
  methods: ['POST'],
  bodyLimitBytes: EXTRACT_BYTES,
  callers: 'all',
  described: {
    summary: 'Extract the values of a JSON Schema from pages, each with the passage that states it',
    answer: 'The values of each page.',
  },
  past: byQueryTime<ExtractRequest>(),
  failures: ['not_indexed'],
  charged: {
    kind: 'fetch',
    sku: () => 'fetch',
    title: 'Extraction of values',
    noun: 'extraction',
    indexOf: ({ body: { results } }) => ({ pages: results.length }),
    needsNoPages: false,
    refusedUnderZeroRetention: ({ model }) =>
      model ? refusedByRetention('zdr_prompt_unsupported', 'model', 'is not available') : undefined,
    failedUpstream: 'storefront_unavailable',
  },
  check: async (sources, request) => {
    checkExtractFields(request, sources)
  },
  run: answerExtract,
} satisfies CallOf<typeof extractRequest, typeof extractResponse>
