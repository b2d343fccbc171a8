import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
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

/** What breaks the rules: file → [its text, the rule, what it may not reach]. */
const breaches: Record<string, [text: string, rule: string, to: string]> = {
  'core/search/uses-crawler.ts': ["import '../../crawler/index.ts'", 'core-looks-down', 'crawler/index.ts'],
  'crawler/uses-transport.ts': ["import '../transports/cli/main.ts'", 'crawler-looks-down', 'transports/cli/main.ts'],
  'transports/cli/uses-test.ts': ["import '../../test/x.ts'", 'transports-look-down', 'test/x.ts'],
  'crawler/deep.ts': [
    "import { store } from '../core/store/store.ts'\nstore",
    'core-by-its-entry',
    'core/store/store.ts',
  ],
  'crawler/deep-type.ts': [
    "import type { Page } from '../core/page.ts'\nexport type P = Page",
    'core-by-its-entry',
    'core/page.ts',
  ],
  'crawler/deep-export.ts': ["export * from '../core/text/terms.ts'", 'core-by-its-entry', 'core/text/terms.ts'],
  'crawler/deep-dynamic.ts': [
    "export const load = () => import('../core/errors.ts')",
    'core-by-its-entry',
    'core/errors.ts',
  ],
  'transports/cli/deep-crawler.ts': ["import '../../crawler/deep.ts'", 'crawler-by-its-entry', 'crawler/deep.ts'],
  'transports/access/uses-cli.ts': ["import '../cli/main.ts'", 'access-knows-no-carrier', 'transports/cli/main.ts'],
  'transports/service/uses-access.ts': [
    "import '../access/uses-cli.ts'",
    'service-knows-no-carrier',
    'transports/access/uses-cli.ts',
  ],
  'transports/mcp/uses-cli.ts': ["import '../cli/main.ts'", 'mcp-knows-no-other-carrier', 'transports/cli/main.ts'],
  'transports/payments/uses-cli.ts': ["import '../cli/main.ts'", 'payments-know-no-carrier', 'transports/cli/main.ts'],
  'transports/http/uses-chain.ts': ["import 'viem'", 'chain-is-for-payments', 'node_modules/viem/index.js'],
  'transports/http/loads-payments.ts': [
    "import '../payments/index.ts'",
    'payments-load-late',
    'transports/payments/index.ts',
  ],
  'transports/client/uses-schemas.ts': ["import 'shipped'", 'client-loads-itself', 'node_modules/shipped/index.js'],
  'core/store/socket.ts': ["import { connect } from 'node:net'\nconnect", 'core-opens-no-socket', 'net'],
  'core/store/fetches.ts': ["import 'undici'", 'core-opens-no-socket', 'node_modules/undici/index.js'],
  'core/store/uses-index.ts': ["import '../index.ts'", 'core-index-is-for-others', 'core/index.ts'],
  'core/store/uses-engine.ts': ["import '../engine.ts'", 'engine-is-an-interface', 'core/engine.ts'],
  'core/time/uses-text.ts': ["import { terms } from '../text/terms.ts'\nterms", 'core/time', 'core/text/terms.ts'],
  'core/text/uses-store-type.ts': [
    "import type { store } from '../store/store.ts'\nexport type S = typeof store",
    'core/text',
    'core/store/store.ts',
  ],
  'core/extract/uses-store.ts': ["import '../store/store.ts'", 'core/extract', 'core/store/store.ts'],
  'core/segment/uses-store.ts': ["import '../store/store.ts'", 'core/segment', 'core/store/store.ts'],
  'core/store/uses-search.ts': ["import '../search/search.ts'", 'core/store', 'core/search/search.ts'],
  'core/leveldb/uses-store.ts': [
    "import { store } from '../store/store.ts'\nstore",
    'core/leveldb',
    'core/store/store.ts',
  ],
  'core/repair/uses-search.ts': ["import '../search/search.ts'", 'core/repair', 'core/search/search.ts'],
  'core/serve/uses-extract.ts': ["import '../extract/uses-store.ts'", 'core/serve', 'core/extract/uses-store.ts'],
  'core/search/uses-extract.ts': ["import '../extract/uses-store.ts'", 'core/search', 'core/extract/uses-store.ts'],
  'core/snippet/uses-search.ts': ["import '../search/search.ts'", 'core/snippet', 'core/search/search.ts'],
  'core/suggest/uses-search.ts': ["import '../search/search.ts'", 'core/suggest', 'core/search/search.ts'],
  'core/url.ts': ["import './text/terms.ts'", 'core/url.ts', 'core/text/terms.ts'],
  'core/store/round.ts': ["import { way } from './way.ts'\nexport const round = way", 'no-cycle', 'core/store/way.ts'],
  'core/store/dead.ts': ['export const dead = 1', 'no-dead-file', 'core/store/dead.ts'],
  'core/store/nowhere.ts': ["import './gone.ts'", 'no-unresolvable', './gone.ts'],
  'core/store/tooling.ts': ["import 'tool'", 'no-dev-dependency', 'node_modules/tool/index.js'],
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

  const texts = Object.fromEntries(Object.entries(breaches).map(([path, [text]]) => [path, text]))
  const found = cruise({ ...clean, ...texts, 'test/x.ts': 'export const x = 1', 'core/store/way.ts': way })
  for (const [path, [, rule, to]] of Object.entries(breaches)) {
    it(`refuses ${path} by the rule ${rule}`, () => {
      expect(found.filter(({ from }) => from === path)).toContainEqual({ rule, from: path, to })
    })
  }

  it('has a breach for every rule it enforces', async () => {
    const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
      default: { forbidden: { name: string }[] }
    }
    const proven = new Set(Object.values(breaches).map(([, rule]) => rule))
    const unproven = config.forbidden.map(({ name }) => name).filter(name => !proven.has(name))
    // The two leaves below import nothing of asof; url.ts stands for their kind.
    expect(unproven).toEqual(['core/errors.ts', 'core/page.ts'])
  })
})
