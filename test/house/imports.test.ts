import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** A small house that keeps every rule. */
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
  'transports/payments/index.ts': "import 'viem'\nexport const payments = 1",
  'core/errors.ts': 'export const code = 1',
  'core/page.ts': 'export interface Page { url: string }',
  'core/engine.ts': "import type { Page } from './page.ts'\nexport interface Engine { page(): Page }",
  'core/text/terms.ts': "import { code } from '../errors.ts'\nexport const terms = code",
  'core/time/instant.ts': "import type { Page } from '../page.ts'\nexport type Instant = Page",
  'core/store/store.ts': "import { terms } from '../text/terms.ts'\nexport const store = terms",
  'core/search/search.ts':
    "import type { Engine } from '../engine.ts'\nimport { store } from '../store/store.ts'\nimport 'shipped'\nexport const search: Engine | typeof store = store",
  'core/index.ts':
    "export type { Instant } from './time/instant.ts'\nexport { search } from './search/search.ts'\nexport type { Engine } from './engine.ts'",
  'crawler/index.ts': "import { search } from '../core/index.ts'\nexport const crawl = search",
  'transports/cli/main.ts':
    "import { crawl } from '../../crawler/index.ts'\ncrawl\nexport const late = () => import('../payments/index.ts')",
}

/** Who imports, the rule that refuses it, what is imported, and all of the file; default: it imports what it may not reach. */
type Breach = readonly [from: string, rule: string, to: string, text?: string]

const breaches: readonly Breach[] = [
  ['core/search/uses-crawler.ts', 'core-looks-down', 'crawler/index.ts'],
  ['crawler/uses-transport.ts', 'crawler-looks-down', 'transports/cli/main.ts'],
  ['transports/cli/uses-test.ts', 'transports-look-down', 'test/x.ts'],
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
  ['crawler/deep-export.ts', 'core-by-its-entry', 'core/text/terms.ts', "export * from '../core/text/terms.ts'"],
  [
    'crawler/deep-dynamic.ts',
    'core-by-its-entry',
    'core/errors.ts',
    "export const load = () => import('../core/errors.ts')",
  ],
  ['transports/cli/deep-crawler.ts', 'crawler-by-its-entry', 'crawler/deep.ts'],
  ['transports/access/uses-cli.ts', 'access-knows-no-carrier', 'transports/cli/main.ts'],
  ['transports/service/uses-access.ts', 'service-knows-no-carrier', 'transports/access/uses-cli.ts'],
  ['transports/mcp/uses-cli.ts', 'mcp-knows-no-other-carrier', 'transports/cli/main.ts'],
  ['transports/payments/uses-cli.ts', 'payments-know-no-carrier', 'transports/cli/main.ts'],
  ['transports/http/uses-chain.ts', 'chain-is-for-payments', 'node_modules/viem/index.js'],
  ['transports/http/loads-payments.ts', 'payments-load-late', 'transports/payments/index.ts'],
  ['transports/client/uses-schemas.ts', 'client-loads-itself', 'node_modules/shipped/index.js'],
  ['transports/client/uses-engine.ts', 'client-loads-itself', 'core/index.ts'],
  ['core/store/socket.ts', 'core-opens-no-socket', 'net', "import { connect } from 'node:net'\nconnect"],
  ['core/store/fetches.ts', 'core-opens-no-socket', 'node_modules/undici/index.js'],
  ['core/store/uses-index.ts', 'core-index-is-for-others', 'core/index.ts'],
  ['core/store/uses-engine.ts', 'engine-is-an-interface', 'core/engine.ts'],
  ['core/time/uses-text.ts', 'core/time', 'core/text/terms.ts', "import { terms } from '../text/terms.ts'\nterms"],
  [
    'core/text/uses-store-type.ts',
    'core/text',
    'core/store/store.ts',
    "import type { store } from '../store/store.ts'\nexport type S = typeof store",
  ],
  ['core/extract/uses-store.ts', 'core/extract', 'core/store/store.ts'],
  ['core/segment/uses-store.ts', 'core/segment', 'core/store/store.ts'],
  ['core/store/uses-search.ts', 'core/store', 'core/search/search.ts'],
  [
    'core/leveldb/uses-store.ts',
    'core/leveldb',
    'core/store/store.ts',
    "import { store } from '../store/store.ts'\nstore",
  ],
  ['core/repair/uses-search.ts', 'core/repair', 'core/search/search.ts'],
  ['core/serve/uses-extract.ts', 'core/serve', 'core/extract/uses-store.ts'],
  ['core/search/uses-extract.ts', 'core/search', 'core/extract/uses-store.ts'],
  ['core/snippet/uses-search.ts', 'core/snippet', 'core/search/search.ts'],
  ['core/meaning/uses-search.ts', 'core/meaning', 'core/search/search.ts'],
  ['core/suggest/uses-search.ts', 'core/suggest', 'core/search/search.ts'],
  ['core/url.ts', 'core/url.ts', 'core/text/terms.ts'],
  ['core/store/round.ts', 'no-cycle', 'core/store/way.ts', "import { way } from './way.ts'\nexport const round = way"],
  ['core/store/dead.ts', 'no-dead-file', 'core/store/dead.ts', 'export const dead = 1'],
  ['core/store/nowhere.ts', 'no-unresolvable', './gone.ts', "import './gone.ts'"],
  ['core/store/tooling.ts', 'no-dev-dependency', 'node_modules/tool/index.js'],
]

/** How a file names another one, or a package. */
function specifier(from: string, to: string): string {
  const [folder, name] = to.split('/')
  if (folder === 'node_modules') return name
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

/** The other half of the circle that core/store/round.ts opens; it leads back by a type alone. */
const way = "import type { round } from './round.ts'\nexport const way = 1 as unknown as typeof round"

const made: string[] = []

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
      ...['core', 'crawler', 'transports'],
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
  it('lets a house pass that keeps every rule', () => {
    expect(cruise(clean)).toEqual([])
  })

  const texts = Object.fromEntries(
    breaches.map(([from, , to, text = `import '${specifier(from, to)}'`]) => [from, text]),
  )
  const found = cruise({ ...clean, ...texts, 'test/x.ts': 'export const x = 1', 'core/store/way.ts': way })
  for (const [from, rule, to] of breaches) {
    it(`refuses ${from} by the rule ${rule}`, () => {
      expect(found.filter(one => one.from === from)).toContainEqual({ rule, from, to })
    })
  }

  it('has a breach for every rule it enforces', async () => {
    const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
      default: { forbidden: { name: string }[] }
    }
    const proven = new Set(breaches.map(([, rule]) => rule))
    const unproven = config.forbidden.map(({ name }) => name).filter(name => !proven.has(name))
    // url.ts stands for the other leaves.
    const leaves = ['errors', 'page', 'shown-value', 'unknown-name', 'options']
    expect(unproven).toEqual(leaves.map(name => `core/${name}.ts`))
  })
})
