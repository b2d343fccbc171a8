import type { FastifySchema } from 'fastify'
import {
  fetchFailures,
  fetchRequest,
  fetchResponse,
  historyRequest,
  historyResponse,
  searchRequest,
  searchResponse,
  verifyRequest,
  verifyResponse,
  type WireErrorName,
} from '../../../service/index.ts'
import {
  always,
  type DescribedResponse,
  failures,
  jsonAnswer,
  named,
  type RouteError,
  withHeader,
} from '../schema/route-schema.ts'

const searched = withHeader(
  jsonAnswer('Ranked results.', named('SearchResponse', searchResponse)),
  'X-Asof-Receipt',
  'Compact JSON: the state of the index that the answer was made from. The same receipt means the same answer.',
)

const fetched = withHeader(
  jsonAnswer('The page.', named('FetchResponse', fetchResponse)),
  'X-Asof-Reader',
  'The reader that answered a `prompt`: `llm` or `extractive`.',
)

named('SearchRequest', searchRequest)

const judged = jsonAnswer('The verdicts.', named('VerifyResponse', verifyResponse))

const listed = jsonAnswer('The versions.', named('HistoryResponse', historyResponse))

/** The differences between the descriptions of calls without a key, with a key, paid for by the request, and on a plan. */
interface DescribedCalls {
  /** The kind of call, in the summaries of its operations. */
  kind: string
  /** Fields that all operations of this kind have. */
  shared: Pick<FastifySchema, 'security' | 'sharedParameters' | 'x-payment-info' | 'hide'>
  /** Errors of searches of this kind, beyond the errors of every route. */
  searchFailures: readonly WireErrorName[]
  /** Errors of fetches of this kind, beyond the errors of every fetch. */
  fetchFailures: readonly WireErrorName[]
  /** Errors that no other kind of call has. */
  ownFailures?: { search: readonly RouteError[]; fetch: readonly RouteError[] }
  /** Changes the answer of each call. Default: no change. */
  answered?: (response: DescribedResponse) => DescribedResponse
}

/** Adds the header that states the charge of a call to a response. */
export function withUsage(response: DescribedResponse): DescribedResponse {
  const description = 'Compact JSON: the charge of the call, with `sku`, `amount`, `credits` and `paid`.'
  return withHeader(response, 'X-Asof-Usage', description)
}

/** Returns functions that make the schemas of search (by POST and GET), fetch, verification and history for one kind of call. */
export function callSchemas(calls: DescribedCalls) {
  const { kind, shared, ownFailures, answered = response => response } = calls
  const searchFailures = [...always, ...calls.searchFailures]
  return {
    searchPost: (operationId: string) => ({
      operationId,
      summary: `Search, ${kind}`,
      ...shared,
      body: searchRequest,
      responses: {
        ...{ 200: answered(searched) },
        ...failures([...searchFailures, 'payload_too_large'], ownFailures?.search),
      },
    }),
    searchGet: (operationId: string) => ({
      operationId,
      summary: `Search, ${kind}, parameters in the query string`,
      ...shared,
      querystring: searchRequest,
      responses: { ...{ 200: answered(searched) }, ...failures(searchFailures, ownFailures?.search) },
    }),
    fetch: (operationId: string) => ({
      operationId,
      summary: `Fetch one page as markdown, ${kind}`,
      ...shared,
      querystring: fetchRequest,
      responses: {
        ...{ 200: answered(fetched) },
        ...failures([...always, ...fetchFailures, ...calls.fetchFailures], ownFailures?.fetch),
      },
    }),
    verify: (operationId: string) => ({
      operationId,
      summary: `Verify quotes of pages, ${kind}`,
      ...shared,
      body: named('VerifyRequest', verifyRequest),
      responses: {
        ...{ 200: answered(judged) },
        ...failures([...always, ...calls.fetchFailures, 'payload_too_large'], ownFailures?.fetch),
      },
    }),
    /** Makes the schema of the list of versions of a page, which is free of charge. */
    history: (operationId: string, refusals: readonly WireErrorName[]) => ({
      operationId,
      summary: `List the versions of one page and what each changed, ${kind}; free of charge`,
      ...shared,
      querystring: historyRequest,
      responses: { ...{ 200: listed }, ...failures([...always, ...refusals, 'not_indexed']) },
    }),
  }
}
