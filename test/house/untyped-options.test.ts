import { describe, expect, it } from 'vitest'
import type { Engine } from '../../core/index.ts'
import {
  checkUrl,
  crawl,
  exportWarc,
  Fetcher,
  fetchPage,
  importFiles,
  importJsonl,
  importWacz,
  importWarc,
  parseCorpus,
  parseRobots,
  previewCorpus,
} from '../../crawler/index.ts'
import { extractDates, extractPage, htmlToMarkdown } from '../../extract/index.ts'
import { Access } from '../../service/accounts/index.ts'
import { createService, EmbeddingsEndpoint, LlmReader, RerankEndpoint } from '../../service/index.ts'
import { addModel, localModel } from '../../service/local-models/index.ts'
import { openPayments } from '../../store/payments/index.ts'
import { createClient } from '../../transports/client/index.ts'
import { createServer, listen } from '../../transports/http/index.ts'
import { createTokenVerifier, serveOverStdio } from '../../transports/mcp/index.ts'

/** Options as callers without types give them. */
type Untyped = never

// Every call must be refused before it uses one of these.
const engine = {} as Engine
const service = createService(engine, () => Promise.reject(new Error('never')))
const app = createServer(service)
const corpus = { name: 'a', seeds: ['https://a.example/'] }
const client = createClient({ url: 'http://127.0.0.1:9', title: 'tests' })
async function* nothing(): AsyncGenerator<Uint8Array> {}

const calls: [name: string, nearest: [wrong: string, right: string], call: (options: Untyped) => unknown][] = [
  ['extractPage', ['content_type', 'contentType'], options => extractPage('', options)],
  ['extractDates', ['latest_at', 'latestAt'], options => extractDates('', options)],
  ['htmlToMarkdown', ['URL', 'url'], options => htmlToMarkdown('', options)],
  ['crawl', ['max_pages', 'maxPages'], options => crawl(engine, ['https://a.example/'], options)],
  ['previewCorpus', ['useragent', 'userAgent'], options => previewCorpus(corpus, options)],
  ['new Fetcher', ['allow_private', 'allowPrivate'], options => new Fetcher(options)],
  ['Fetcher.fetch', ['maxbytes', 'maxBytes'], options => new Fetcher().fetch('https://a.example/', options)],
  ['fetchPage', ['maxRedirect', 'maxRedirects'], options => fetchPage('https://a.example/', options)],
  ['checkUrl', ['alowPrivate', 'allowPrivate'], options => checkUrl(new URL('https://a.example/'), options)],
  ['importJsonl', ['onprogress', 'onProgress'], options => importJsonl(engine, nothing(), options)],
  ['importWarc', ['max_bytes', 'maxBytes'], options => importWarc(engine, nothing(), options)],
  ['importWacz', ['skips', 'skip'], options => importWacz(engine, 'none.wacz', options)],
  ['importFiles', ['baseURL', 'baseUrl'], options => importFiles(engine, 'none', options)],
  ['exportWarc', ['gzipped', 'gzip'], options => exportWarc(engine, options).next()],
  ['createService', ['readers', 'reader'], options => createService(engine, async () => undefined as never, options)],
  ['createServer', ['base_url', 'baseUrl'], options => createServer(service, options)],
  ['listen', ['prot', 'port'], options => listen(app, options)],
  ['Access.open', ['Now', 'now'], options => Access.open('none', options)],
  ['createClient', ['apiKey', 'key'], options => createClient(options)],
  ['client.search', ['onusage', 'onUsage'], options => client.search({ query: 'a' }, options)],
  ['client.fetch', ['Signal', 'signal'], options => client.fetch({ url: 'https://a.example/' }, options)],
  ['serveOverStdio', ['inputs', 'input'], options => serveOverStdio({} as Untyped, options)],
  ['createTokenVerifier', ['isuer', 'issuer'], options => createTokenVerifier(options)],
  ['openPayments', ['setings', 'settings'], options => openPayments(options)],
  ['LlmReader', ['base_url', 'baseUrl'], options => new LlmReader(options)],
  ['EmbeddingsEndpoint', ['dimension', 'dimensions'], options => new EmbeddingsEndpoint(options)],
  ['localModel', ['thread', 'threads'], options => localModel('none', options)],
  ['addModel', ['query_prefix', 'queryPrefix'], options => addModel('none', options)],
  ['RerankEndpoint', ['apikey', 'apiKey'], options => new RerankEndpoint(options)],
]

describe.each(calls)('the options of %s', (_name, [wrong, nearest], call) => {
  const refused = async (options: unknown, expected: object) =>
    expect((async () => call(options as Untyped))()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', ...expected })

  it('are refused when one is unknown, with the one that was meant', async () => {
    await refused({ [wrong]: 'x' }, { details: { field: wrong, nearest } })
  })

  it('are refused when one is of another type', async () => {
    await refused({ [nearest]: Symbol('x') }, { details: { field: nearest } })
  })

  it.each([5, 'x', [[]], () => {}, new Map()])('are refused when they are no options at all: %s', async options => {
    await refused(options, { details: { field: 'options' } })
  })
})

describe('what must be given', () => {
  const refused = (call: () => unknown, field: string) =>
    expect((async () => call())()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field } })

  it('is named when it is not', async () => {
    await refused(() => crawl(engine, ['https://a.example/'], {} as Untyped), 'dir')
    await refused(() => crawl(engine, ['https://a.example/'], undefined as Untyped), 'dir')
    await refused(() => listen(app, { host: '127.0.0.1' } as Untyped), 'port')
    await refused(() => createClient({ title: 'tests' } as Untyped), 'url')
    await refused(() => createClient({ url: 'https://a.example/' } as Untyped), 'title')
    await refused(() => createClient({ url: 'ftp://a.example/', title: 'tests' }), 'url')
    await refused(() => createClient({ url: 'https://a.example/', title: 'täst' }), 'title')
    await refused(() => createClient({ url: 'https://a.example/', title: 'tests', maxTries: 0 }), 'maxTries')
    await refused(() => createClient({ url: 'https://a.example/', title: 'tests', timeoutMs: -1 }), 'timeoutMs')
    await refused(() => client.search(undefined as Untyped), 'request')
    await refused(() => client.fetch('https://a.example/' as Untyped), 'request')
    await refused(() => parseRobots('User-agent: *' as Untyped, 'https://a.example/robots.txt'), 'bytes')
    await refused(() => parseRobots(new Uint8Array(), undefined as Untyped), 'robotsUrl')
    await refused(() => checkUrl('https://a.example/' as Untyped), 'url')
    await refused(() => createServer(service, { keylessLimits: { perSecond: 5 } as Untyped }), 'perHour')
    const oauth = { issuer: 'https://a.example/' }
    await refused(() => createServer(service, { mcp: { oauth: {} as Untyped } }), 'issuer')
    await refused(() => createServer(service, { mcp: { oauth } }), 'mcp.oauth')
    await refused(() => createServer(service, { mcp: { host: 'a' } as Untyped }), 'host')
    await refused(() => createServer(service, { mcp: 5 as Untyped }), 'mcp')
  })
})

describe('an unknown field of a corpus', () => {
  it.each([
    [{ seedz: [] }, 'seedz', 'seeds'],
    [{ max_pages: 5 }, 'max_pages', 'maxPages'],
    [{ scope: { typ: 'host' } }, 'scope.typ', 'type'],
    [{ politeness: { requestsPerSecnd: 1 } }, 'politeness.requestsPerSecnd', 'requestsPerSecond'],
    [{ recrawl: { min_interval: '1h' } }, 'recrawl.min_interval', 'minInterval'],
  ])('is refused with the one that was meant: %j', (more, path, nearest) => {
    expect(() => parseCorpus({ ...corpus, ...more })).toThrow(
      expect.objectContaining({
        code: 'ASOF_CORPUS_INVALID',
        message: `corpus: ${path}: unknown field; did you mean ${nearest}?`,
      }),
    )
  })
})
