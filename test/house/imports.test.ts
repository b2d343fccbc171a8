import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
  default: { forbidden: { name: string }[] }
}

/** A small source tree that follows every rule. */
const clean = {
  'package.json': JSON.stringify({ dependencies: { shipped: '1', viem: '1' }, devDependencies: { tool: '1' } }),
  'node_modules/shipped/package.json': '{"name":"shipped","main":"index.js"}',
  'node_modules/shipped/index.js': '',
  'node_modules/tool/package.json': '{"name":"tool","main":"index.js"}',
  'node_modules/tool/index.js': '',
  'node_modules/undici/package.json': '{"name":"undici","main":"index.js"}',
  'node_modules/undici/index.js': '',
  'node_modules/viem/package.json': '{"name":"viem","main":"index.js"}',
  'node_modules/viem/index.js': '',
  'store/payments/index.ts': "import 'viem'\nexport const payments = 1",
  'extract/index.ts': "export { code } from './errors/index.ts'\nexport { html } from './html/html.ts'",
  'extract/errors/index.ts': 'export const code = 1',
  'extract/html/html.ts': "import { code } from '../errors/index.ts'\nexport const html = code",
  'encoder/index.ts':
    "import { code } from '../extract/errors/index.ts'\nexport { forward } from './forward/forward.ts'\nexport { code }",
  'encoder/forward/forward.ts': 'export const forward = 1',
  'core/page.ts': 'export interface Page { url: string }',
  'core/engine/engine.ts': "import type { Page } from '../page.ts'\nexport interface Engine { page(): Page }",
  'core/text/terms.ts': "import { code } from '../../extract/errors/index.ts'\nexport const terms = code",
  'core/dates/instant.ts': "import type { Page } from '../page.ts'\nexport type Instant = Page",
  'core/store/store.ts': "import { code } from '../../extract/errors/index.ts'\nexport const store = code",
  'core/search/search.ts':
    "import type { Engine } from '../engine/engine.ts'\nimport { store } from '../store/store.ts'\nimport 'shipped'\nexport const search: Engine | typeof store = store",
  'core/index.ts':
    "export { terms } from './text/terms.ts'\nexport type { Instant } from './dates/instant.ts'\nexport { search } from './search/search.ts'\nexport type { Engine } from './engine/engine.ts'",
  'bench/main.ts': "import './suggest/suggest.ts'",
  'bench/suggest/suggest.ts': "import { search } from '../../core/index.ts'\nsearch",
  'service/index.ts': "import './contract/search-schemas.ts'\nexport const service = 1",
  'cluster/index.ts':
    "import { search } from '../core/index.ts'\nimport { database } from '../database/index.ts'\nexport const cluster = [search, database]",
  'database/index.ts': "import { only } from './only.ts'\nexport const database = only",
  'database/only.ts': 'export const only = 1',
  'crawler/index.ts': "import { search } from '../core/index.ts'\nexport const crawl = search",
  'transports/cli/main.ts': "import './commands/crawl.ts'",
  'transports/cli/commands/crawl.ts':
    "import { crawl } from '../../../crawler/index.ts'\ncrawl\nexport const late = () => import('../../../store/payments/index.ts')",
  'transports/http/index.ts': 'export const http = 1',
  'transports/client/index.ts': 'export const client = 1',
  'entries/service.ts': "export { service } from '../service/index.ts'",
  'entries/cluster.ts': "export { cluster } from '../cluster/index.ts'",
  'entries/http.ts': "export { http } from '../transports/http/index.ts'",
  'entries/client.ts': "export { client } from '../transports/client/index.ts'",
  'service/contract/search-schemas.ts': 'export const schema = 1\nexport type Body = typeof schema',
  'examples/shop/main.ts': "import { search } from '../../core/index.ts'\nsearch",
  'console/app.ts': "import type { Body } from '../service/contract/search-schemas.ts'\nexport const app: Body = 1",
}

/** The importing file, the rule that it breaks, the imported file, and the text of the importing file (default: one import). */
type Breach = readonly [from: string, rule: string, to: string, text?: string]

const breaches: readonly Breach[] = [
  ['extract/html/uses-core.ts', 'extract-is-lowest', 'core/index.ts'],
  ['encoder/forward/uses-core.ts', 'encoder-uses-extract', 'core/index.ts'],
  ['core/search/uses-encoder.ts', 'core-uses-extract', 'encoder/index.ts'],
  ['service/deep-in-encoder.ts', 'encoder-by-its-entry', 'encoder/forward/forward.ts'],
  ['encoder/forward/deep-in-extract.ts', 'extract-by-its-entries', 'extract/html/html.ts'],
  ['core/search/uses-crawler.ts', 'core-uses-extract', 'crawler/index.ts'],
  ['core/search/deep-in-extract.ts', 'extract-by-its-entries', 'extract/html/html.ts'],
  ['cluster/uses-crawler.ts', 'cluster-uses-core', 'crawler/index.ts'],
  ['cluster/deep.ts', 'core-by-its-entry', 'core/store/store.ts'],
  ['cluster/leaf.ts', 'cluster-leaves-use-no-room', 'cluster/terms/index.ts'],
  ['crawler/leaf.ts', 'crawler-leaves-use-no-room', 'crawler/fetch/fetcher.ts'],
  ['database/uses-crawler.ts', 'database-uses-core', 'crawler/index.ts'],
  ['service/deep-in-database.ts', 'database-by-its-entry', 'database/only.ts'],
  ['crawler/uses-service.ts', 'crawler-above-core', 'service/index.ts'],
  ['service/uses-cli.ts', 'service-above-crawler', 'transports/cli/main.ts'],
  ['service/uses-store.ts', 'service-above-crawler', 'store/payments/index.ts'],
  ['store/payments/uses-test.ts', 'store-above-service', 'test/x.ts'],
  ['transports/http/uses-store.ts', 'store-is-a-guest', 'store/payments/index.ts'],
  ['transports/cli/uses-test.ts', 'transports-are-highest', 'test/x.ts'],
  ['entries/deep.ts', 'entries-use-entries', 'core/store/store.ts'],
  ['transports/cli/uses-subpath.ts', 'entries-are-for-programs', 'entries/http.ts'],
  [
    'crawler/deep.ts',
    'core-by-its-entry',
    'core/store/store.ts',
    "import { store } from '../core/store/store.ts'\nstore",
  ],
  [
    'crawler/deep-type.ts',
    'core-by-its-entry',
    'core/page.ts',
    "import type { Page } from '../core/page.ts'\nexport type P = Page",
  ],
  ['service/deep-export.ts', 'core-by-its-entry', 'core/text/terms.ts', "export * from '../core/text/terms.ts'"],
  [
    'transports/http/deep-dynamic.ts',
    'core-by-its-entry',
    'core/page.ts',
    "export const load = () => import('../../core/page.ts')",
  ],
  ['service/deep-cluster.ts', 'cluster-by-its-entry', 'cluster/deep.ts'],
  ['service/deep-crawler.ts', 'crawler-by-its-entry', 'crawler/deep.ts'],
  ['transports/cli/deep-service.ts', 'service-by-its-entries', 'service/accounts/uses-index.ts'],
  ['transports/cli/deep-store.ts', 'store-by-its-entries', 'store/payments/uses-test.ts'],
  ['store/deep-in-http.ts', 'ways-by-their-entry', 'transports/http/index.ts'],
  ['service/accounts/uses-index.ts', 'service-index-is-for-others', 'service/index.ts'],
  ['transports/http/uses-cli.ts', 'adapters-are-apart', 'transports/cli/main.ts'],
  ['transports/http/dialects/exa/uses-http.ts', 'dialects-are-apart', 'transports/http/index.ts'],
  ['transports/mcp/uses-http.ts', 'mcp-knows-no-http', 'transports/http/index.ts'],
  ['transports/client/uses-schemas.ts', 'client-loads-itself', 'node_modules/shipped/index.js'],
  ['transports/client/uses-engine.ts', 'client-loads-itself', 'core/index.ts'],
  ['entries/client.ts', 'client-loads-itself', 'service/index.ts', "export { service } from '../service/index.ts'"],
  ['console/uses-core.ts', 'console-is-apart', 'core/index.ts'],
  ['console/uses-schema.ts', 'console-loads-no-schema', 'service/contract/search-schemas.ts'],
  ['transports/http/uses-console.ts', 'console-is-for-browsers', 'console/app.ts'],
  ['examples/shop/uses-store.ts', 'examples-use-packages', 'core/store/store.ts'],
  ['service/uses-example.ts', 'examples-are-apart', 'examples/shop/main.ts'],
  ['service/accounts/uses-chain.ts', 'chain-is-for-payments', 'node_modules/viem/index.js'],
  ['transports/cli/loads-payments.ts', 'payments-load-late', 'store/payments/index.ts'],
  ['extract/html/fetches.ts', 'core-opens-no-socket', 'node_modules/undici/index.js'],
  ['core/store/socket.ts', 'core-opens-no-socket', 'net', "import { connect } from 'node:net'\nconnect"],
  ['core/store/fetches.ts', 'core-opens-no-socket', 'node_modules/undici/index.js'],
  ['core/store/uses-index.ts', 'core-index-is-for-others', 'core/index.ts'],
  ['core/store/uses-engine.ts', 'engine-is-an-interface', 'core/engine/engine.ts'],
  ['core/url.ts', 'leaves-use-leaves', 'core/text/terms.ts'],
  ['extract/errors/uses-html.ts', 'leaves-use-leaves', 'extract/html/html.ts'],
  ['core/segment/uses-store.ts', 'structures-know-no-engine', 'core/store/store.ts'],
  ['core/snippet/uses-ingest.ts', 'readers-do-not-write', 'core/ingest/writer.ts'],
  ['core/store/round.ts', 'no-cycle', 'core/store/way.ts', "import { way } from './way.ts'\nexport const round = way"],
  ['core/store/dead.ts', 'no-dead-file', 'core/store/dead.ts', 'export const dead = 1'],
  ['core/store/nowhere.ts', 'no-unresolvable', './gone.ts', "import './gone.ts'"],
  ['core/store/tooling.ts', 'no-dev-dependency', 'node_modules/tool/index.js'],
]

/** Returns the import specifier of a file or package. */
function specifier(from: string, to: string): string {
  const [folder, name] = to.split('/')
  if (folder === 'node_modules') return name!
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

/** The other half of the cycle that core/store/round.ts starts. It imports only a type. */
const way = "import type { round } from './round.ts'\nexport const way = 1 as unknown as typeof round"

const made: string[] = []

/** Rooms that import each other, two by two, by different files, so that there is no cycle of files. */
const ring = {
  'core/bulk/selection.ts': "import '../vectors/table.ts'",
  'core/vectors/table.ts': 'export const table = 1',
  'core/vectors/reader.ts': "import '../bulk/report.ts'",
  'core/bulk/report.ts': 'export const report = 1',
  'cluster/search/answer.ts': "import '../terms/index.ts'",
  'cluster/terms/index.ts': 'export const index = 1',
  'cluster/terms/change.ts': "import '../search/known.ts'",
  'cluster/search/known.ts': 'export const known = 1',
}

function cruise(files: Record<string, string>): { rule: string; from: string; to: string }[] {
  const folder = mkdtempSync(join(tmpdir(), 'asof-imports-'))
  made.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), `${text}\n`)
  }
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      join(root, '.dependency-cruiser.mjs'),
      '--output-type',
      'json',
      'extract',
      'encoder',
      'core',
      'cluster',
      'database',
      'crawler',
      'service',
      'store',
      'transports',
      'entries',
      'bench',
      'console',
      'examples',
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  if (!run.stdout.startsWith('{')) throw new Error(`dependency-cruiser failed: ${run.stderr}${run.stdout}`)
  const { summary } = JSON.parse(run.stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] }
  }
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }))
}

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

describe('the import check', () => {
  it('accepts a source tree that follows every rule', () => {
    expect(cruise(clean)).toEqual([])
  })

  const texts = Object.fromEntries(
    breaches.map(([from, , to, text = `import '${specifier(from, to)}'`]) => [from, text]),
  )
  const others = {
    'test/x.ts': 'export const x = 1',
    'core/store/way.ts': way,
    'core/ingest/writer.ts': 'export const writer = 1',
    'crawler/fetch/fetcher.ts': 'export const fetcher = 1',
  }
  const found = cruise({ ...clean, ...texts, ...others, ...ring })
  for (const [from, rule, to] of breaches) {
    it(`rejects ${from} by the rule ${rule}`, () => {
      expect(found.filter(one => one.from === from)).toContainEqual({ rule, from, to })
    })
  }

  it.each([
    ['core/bulk', 'core/vectors'],
    ['core/vectors', 'core/bulk'],
    ['cluster/search', 'cluster/terms'],
    ['cluster/terms', 'cluster/search'],
  ])('rejects the ring of the room %s with %s, whose files form no cycle', (from, to) => {
    expect(found).toContainEqual({ rule: 'no-ring-of-rooms', from, to })
    expect(found.filter(one => one.rule === 'no-cycle' && one.from in ring)).toEqual([])
  })

  it('is tested with a violation of every rule', () => {
    const proven = new Set([...breaches.map(([, rule]) => rule), 'no-ring-of-rooms'])
    expect(config.forbidden.map(({ name }) => name).filter(name => !proven.has(name))).toEqual([])
  })
})
