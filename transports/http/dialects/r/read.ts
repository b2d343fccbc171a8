import { z } from 'zod'
import { type FieldProblem, refusedFields } from '../../../../service/index.ts'
import type { SentRequest } from '../frame/dialect.ts'
import { refuseStrayInstants } from '../frame/vendor-fields.ts'
import type { DialectWarning } from '../frame/warning.ts'

const SECOND_MS = 1_000

const CHANGES_PAGE = 'would change the page, and the index has it as its site serves it to everybody'
const NO_MODEL = 'needs a language model, and asof has none'

/** Headers that the reader of Jina knows and that would change the answer. */
const refused: Readonly<Record<string, string>> = {
  'accept-datetime': 'is not read here; name the instant as in /at/2025-03-01/r/URL',
  'x-json-schema': NO_MODEL,
  'x-instruction': NO_MODEL,
  'x-proxy-url': CHANGES_PAGE,
  'x-remove-selector': CHANGES_PAGE,
  'x-set-cookie': CHANGES_PAGE,
  'x-target-selector': CHANGES_PAGE,
  'x-token-budget': 'asof does not count tokens of pages',
  'x-wait-for-selector': CHANGES_PAGE,
  'x-with-iframe': CHANGES_PAGE,
  'x-with-shadow-dom': CHANGES_PAGE,
}
/** Headers that ask for more than asof has. */
const leftOut: Readonly<Record<string, string>> = {
  'x-locale': 'left out: the page was read once for all callers',
  'x-with-generated-alt': `left out: it ${NO_MODEL}`,
  'x-with-images-summary': 'left out: asof keeps no images',
  'x-with-links-summary': 'left out: links are in the text',
}
const formats = ['markdown', 'text', 'content', 'default']

const headersSchema = z.record(z.string(), z.unknown())

/** A request for a page. */
export interface ReaderRequest {
  url: string
  /** True for the form of JSON, else Markdown after lines about the page. */
  isJson: boolean
  /** The stored page is enough if it was seen at or after this instant, epoch ms. Undefined for any. */
  seenSince: number | undefined
  warnings: DialectWarning[]
}

/** @throws ServiceError invalid_request - the header is not a whole number. */
function secondsOf(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw refusedFields('invalid_request', [{ path: name, reason: 'must be a number of seconds' }])
}

/** Reads a request, whose options are headers. */
export function readReader({ fields, requestedAt }: SentRequest): ReaderRequest {
  const headers = new Map(
    Object.entries(headersSchema.parse(fields)).map(([name, value]) => [name, String(value).trim()]),
  )
  const textOf = (name: string) => headers.get(name) || undefined
  refuseStrayInstants(fields, ['a path such as /at/2025-03-01/r/URL'])
  const warnings: DialectWarning[] = []
  const problems: FieldProblem[] = []
  for (const [path, reason] of Object.entries(refused)) if (textOf(path) !== undefined) problems.push({ path, reason })
  for (const path of ['x-return-format', 'x-respond-with']) {
    const format = textOf(path)
    if (format !== undefined && !formats.includes(format)) problems.push({ path, reason: 'must be markdown or text' })
    if (format === 'text') warnings.push({ path, message: 'the text is Markdown' })
  }
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
  for (const [path, message] of Object.entries(leftOut))
    if (textOf(path) !== undefined) warnings.push({ path, message })
  const isFresh = textOf('x-no-cache') === 'true'
  const tolerance = isFresh ? '0' : textOf('x-cache-tolerance')
  return {
    url: textOf('url') ?? '',
    isJson: /\bapplication\/json\b/i.test(textOf('accept') ?? ''),
    seenSince:
      tolerance === undefined ? undefined : requestedAt - SECOND_MS * secondsOf('x-cache-tolerance', tolerance),
    warnings,
  }
}
