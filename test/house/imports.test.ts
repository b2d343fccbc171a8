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

/** An import that a rule refuses. */
interface Breach {
  from: string
  rule: string
  to: string
  /** All of the file. Default: it imports what it may not reach. */
  text?: string
}

const breaches: readonly Breach[] = [
  { from: 'core/search/uses-crawler.ts', rule: 'core-looks-down', to: 'crawler/index.ts' },
  { from: 'crawler/uses-transport.ts', rule: 'crawler-looks-down', to: 'transports/cli/main.ts' },
  { from: 'transports/cli/uses-test.ts', rule: 'transports-look-down', to: 'test/x.ts' },
  {
    from: 'crawler/deep.ts',
    rule: 'core-by-its-entry',
    to: 'core/store/store.ts',
    text: "import { store } from '../core/store/store.ts'\nstore",
  },
  {
    from: 'crawler/deep-type.ts',
    rule: 'core-by-its-entry',
    to: 'core/page.ts',
    text: "import type { Page } from '../core/page.ts'\nexport type P = Page",
  },
  {
    from: 'crawler/deep-export.ts',
    rule: 'core-by-its-entry',
    to: 'core/text/terms.ts',
    text: "export * from '../core/text/terms.ts'",
  },
  {
    from: 'crawler/deep-dynamic.ts',
    rule: 'core-by-its-entry',
    to: 'core/errors.ts',
    text: "export const load = () => import('../core/errors.ts')",
  },
  { from: 'transports/cli/deep-crawler.ts', rule: 'crawler-by-its-entry', to: 'crawler/deep.ts' },
  { from: 'transports/access/uses-cli.ts', rule: 'access-knows-no-carrier', to: 'transports/cli/main.ts' },
  { from: 'transports/service/uses-access.ts', rule: 'service-knows-no-carrier', to: 'transports/access/uses-cli.ts' },
  { from: 'transports/mcp/uses-cli.ts', rule: 'mcp-knows-no-other-carrier', to: 'transports/cli/main.ts' },
  { from: 'transports/payments/uses-cli.ts', rule: 'payments-know-no-carrier', to: 'transports/cli/main.ts' },
  { from: 'transports/http/uses-chain.ts', rule: 'chain-is-for-payments', to: 'node_modules/viem/index.js' },
  { from: 'transports/http/loads-payments.ts', rule: 'payments-load-late', to: 'transports/payments/index.ts' },
  { from: 'transports/client/uses-schemas.ts', rule: 'client-loads-itself', to: 'node_modules/shipped/index.js' },
  {
    from: 'core/store/socket.ts',
    rule: 'core-opens-no-socket',
    to: 'net',
    text: "import { connect } from 'node:net'\nconnect",
  },
  { from: 'core/store/fetches.ts', rule: 'core-opens-no-socket', to: 'node_modules/undici/index.js' },
  { from: 'core/store/uses-index.ts', rule: 'core-index-is-for-others', to: 'core/index.ts' },
  { from: 'core/store/uses-engine.ts', rule: 'engine-is-an-interface', to: 'core/engine.ts' },
  {
    from: 'core/time/uses-text.ts',
    rule: 'core/time',
    to: 'core/text/terms.ts',
    text: "import { terms } from '../text/terms.ts'\nterms",
  },
  {
    from: 'core/text/uses-store-type.ts',
    rule: 'core/text',
    to: 'core/store/store.ts',
    text: "import type { store } from '../store/store.ts'\nexport type S = typeof store",
  },
  { from: 'core/extract/uses-store.ts', rule: 'core/extract', to: 'core/store/store.ts' },
  { from: 'core/segment/uses-store.ts', rule: 'core/segment', to: 'core/store/store.ts' },
  { from: 'core/store/uses-search.ts', rule: 'core/store', to: 'core/search/search.ts' },
  {
    from: 'core/leveldb/uses-store.ts',
    rule: 'core/leveldb',
    to: 'core/store/store.ts',
    text: "import { store } from '../store/store.ts'\nstore",
  },
  { from: 'core/repair/uses-search.ts', rule: 'core/repair', to: 'core/search/search.ts' },
  { from: 'core/serve/uses-extract.ts', rule: 'core/serve', to: 'core/extract/uses-store.ts' },
  { from: 'core/search/uses-extract.ts', rule: 'core/search', to: 'core/extract/uses-store.ts' },
  { from: 'core/snippet/uses-search.ts', rule: 'core/snippet', to: 'core/search/search.ts' },
  { from: 'core/meaning/uses-search.ts', rule: 'core/meaning', to: 'core/search/search.ts' },
  { from: 'core/suggest/uses-search.ts', rule: 'core/suggest', to: 'core/search/search.ts' },
  { from: 'core/url.ts', rule: 'core/url.ts', to: 'core/text/terms.ts' },
  {
    from: 'core/store/round.ts',
    rule: 'no-cycle',
    to: 'core/store/way.ts',
    text: "import { way } from './way.ts'\nexport const round = way",
  },
  { from: 'core/store/dead.ts', rule: 'no-dead-file', to: 'core/store/dead.ts', text: 'export const dead = 1' },
  { from: 'core/store/nowhere.ts', rule: 'no-unresolvable', to: './gone.ts', text: "import './gone.ts'" },
  { from: 'core/store/tooling.ts', rule: 'no-dev-dependency', to: 'node_modules/tool/index.js' },
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
    breaches.map(({ from, to, text = `import '${specifier(from, to)}'` }) => [from, text]),
  )
  const found = cruise({ ...clean, ...texts, 'test/x.ts': 'export const x = 1', 'core/store/way.ts': way })
  for (const { from, rule, to } of breaches) {
    it(`refuses ${from} by the rule ${rule}`, () => {
      expect(found.filter(one => one.from === from)).toContainEqual({ rule, from, to })
    })
  }

  it('has a breach for every rule it enforces', async () => {
    const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
      default: { forbidden: { name: string }[] }
    }
    const proven = new Set(breaches.map(({ rule }) => rule))
    const unproven = config.forbidden.map(({ name }) => name).filter(name => !proven.has(name))
    // The two leaves below import nothing of asof; url.ts stands for their kind.
    expect(unproven).toEqual(['core/errors.ts', 'core/page.ts'])
  })
})
