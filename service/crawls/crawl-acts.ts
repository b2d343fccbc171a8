import { isAsofError } from '@asof/core'
import { z } from 'zod'
import type { Corpus } from '../../crawler/index.ts'
import { refusedFields, renamingFields } from '../contract/errors.ts'
import { parseRequest } from '../contract/request-fields.ts'
import type { CrawlLimits } from './crawl-definition.ts'
import type { CrawlActAnswer, CrawlActName } from './crawl-schemas.ts'
import type { Crawls } from './crawls.ts'
import { shownCrawl, shownFailure, shownPreview } from './shown-crawl.ts'

/** An act of an operator on the crawls of a server. */
interface CrawlAct<Answer extends object = object> {
  /** The HTTP method. Acts that change or fetch something are a POST with a JSON body, others a GET with a query string. */
  method: 'GET' | 'POST'
  summary: string
  /** The schema of the input, with the names of the wire. */
  input: z.ZodObject
  /** @throws ServiceError invalid_request | not_found | address_refused | overloaded */
  perform(crawls: Crawls, input: unknown): Promise<Answer>
}

function define<S extends z.ZodObject, Answer extends object>(
  method: CrawlAct['method'],
  summary: string,
  input: S,
  perform: (crawls: Crawls, input: z.output<S>) => Promise<Answer>,
): CrawlAct<Answer> {
  return {
    method,
    summary,
    input,
    perform: async (crawls, value) => await perform(crawls, parseRequest(input, value)),
  }
}

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: 'must be the name of a crawl' })
  .describe('name of the crawl, as in the list')

const what = {
  urls: z
    .array(z.string().max(2_048))
    .min(1)
    .max(100)
    .optional()
    .describe('URLs where the crawl starts; their hosts are its scope'),
  corpus: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('a corpus definition instead, as `asof corpus schema` describes it'),
}

const limits = {
  max_pages: z.int().min(1).max(1_000_000_000).optional().describe('pages to fetch in this run'),
  max_depth: z.int().min(0).max(1_000).optional().describe('links to follow from a start URL'),
  delay_ms: z.int().min(0).max(3_600_000).optional().describe('pause between two requests to a host, milliseconds'),
  concurrency: z.int().min(1).max(1_000).optional().describe('concurrent requests, each to another host'),
  watch: z.boolean().default(false).describe('keep running, and re-visit pages when they are due'),
}

type Limits = z.output<z.ZodObject<typeof limits>>

function limitsOf({ max_pages, max_depth, delay_ms, concurrency, watch }: Limits): CrawlLimits {
  return { maxPages: max_pages, maxDepth: max_depth, delayMs: delay_ms, concurrency, watch }
}

/** Returns the corpus that a request describes. */
async function corpusOf({ urls, corpus }: { urls?: string[] | undefined; corpus?: unknown }): Promise<Corpus> {
  if ((urls === undefined) === (corpus === undefined))
    throw refusedFields('invalid_request', [{ path: 'urls', reason: 'give either urls or a corpus' }])
  const { corpusOfSeeds, parseCorpus } = await import('../../crawler/index.ts')
  try {
    return urls ? corpusOfSeeds(urls) : parseCorpus(corpus)
  } catch (error) {
    if (!isAsofError(error)) throw error
    const { issues } = error.details ?? {}
    if (!Array.isArray(issues)) throw error
    const problems = (issues as { path: string; message: string }[]).map(({ path, message }) => ({
      path: urls ? path.replace(/^seeds/, 'urls') : path === '' ? 'corpus' : `corpus.${path}`,
      reason: message,
    }))
    throw refusedFields('invalid_request', problems, { cause: error })
  }
}

const named = z.strictObject({ name })

/** All acts by name. */
export const crawlActs = {
  list: define('GET', 'the last crawl of each name, newest first', z.strictObject({}), async crawls => ({
    crawls: (await crawls.list()).map(shownCrawl),
  })),
  preview: define('POST', 'what a crawl would fetch first', z.strictObject(what), async (crawls, input) => {
    const { preview, isComplete } = await crawls.preview(await corpusOf(input))
    return shownPreview(preview, isComplete)
  }),
  start: define(
    'POST',
    'start a crawl, which runs in the background',
    z.strictObject({ ...what, ...limits }),
    async (crawls, input) => {
      const corpus = await corpusOf(input)
      await crawls.start({ corpus, limits: limitsOf(input) }).catch((error: unknown) => {
        // A corpus that was made from URLs has no fields that the caller knows.
        throw input.urls ? renamingFields(error, path => path.replace(/^corpus\.(?:seeds|name$)/, 'urls')) : error
      })
      return { name: corpus.name }
    },
  ),
  resume: define(
    'POST',
    'go on with a crawl that was started here, or visit its pages again',
    named,
    async (crawls, input) => {
      await crawls.resume(input.name)
      return { name: input.name }
    },
  ),
  stop: define('POST', 'stop a running crawl once its captures are stored', named, async (crawls, input) => {
    crawls.stop(input.name)
    return { name: input.name }
  }),
  due: define(
    'GET',
    'how many queued URLs of a running crawl are due now, within an hour, within a day, and later',
    named,
    async (crawls, input) => {
      const { isComplete, ...counts } = await crawls.due(input.name)
      return { ...counts, complete: isComplete }
    },
  ),
  failures: define(
    'GET',
    'URLs that failed in the last crawl of a name, oldest first, with the pages that link to them',
    z.strictObject({ name, limit: z.int().min(1).max(10_000).default(1_000).describe('number of failures to list') }),
    async (crawls, input) => ({ failures: (await crawls.failures(input.name, input.limit)).map(shownFailure) }),
  ),
} as const satisfies { readonly [Act in CrawlActName]: CrawlAct<CrawlActAnswer<Act>> }
