/** `npm run bench -- <suite> [options]`. Installs the other engines on first use, since they are not dependencies of asof. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import manifest from './package.json' with { type: 'json' }

/** The suites. `alone` marks a suite that needs no other engines. */
const suites: Record<string, { about: string; run: (args: string[]) => Promise<void>; alone?: boolean }> = {
  speed: {
    about: 'search, indexing, memory and disk use of asof and other engines',
    run: async args => (await import('./speed/speed.ts')).speed(args),
  },
  http: {
    about: 'the HTTP server: overhead, searches per second, overload',
    run: async args => (await import('./http/http.ts')).http(args),
  },
  mcp: {
    about: 'many MCP sessions for a long time: calls per second, memory',
    run: async args => (await import('./mcp/mcp.ts')).mcp(args),
  },
  suggest: {
    about: 'latency of suggestions while a user types',
    run: async args => (await import('./suggest/suggest.ts')).suggest(args),
  },
  typed: {
    about: 'success of half-typed queries, beside MiniSearch and Orama',
    run: async args => (await importInstalled<Typed>('./typed/typed.ts')).typed(args),
  },
  crawl: {
    about: 'crawling a synthetic web with asof and Crawlee',
    run: async args => (await import('./crawl/crawl.ts')).crawl(args),
  },
  quality: {
    about: 'quality of the results of asof and other engines, on judged collections',
    run: async args => (await import('./quality/quality.ts')).quality(args),
  },
  leaks: {
    about:
      'what of the future is in answers about the past, of asof and of engines that keep commits or filter by date',
    run: async args => (await import('./leaks/leaks.ts')).leaks(args),
  },
  extract: {
    about: 'quality and speed of extraction by asof and other extractors',
    run: async args => (await import('./extract/extract.ts')).extract(args),
  },
  visible: {
    about: 'words of pages in Chromium against the words of their Markdown',
    run: async args => (await import('./visible/visible.ts')).visible(args),
    alone: true,
  },
  packages: {
    about: "speed of asof's own code and of the packages that it replaced",
    run: async args => (await importInstalled<Packages>('./packages/replaced-packages.ts')).packages(args),
  },
  quotes: {
    about: 'share of right verdicts on quotes, as of random instants, and their latency',
    run: async args => (await import('./quotes/quotes.ts')).quotes(args),
    alone: true,
  },
  passages: {
    about: 'share of questions whose answer is in the passages, and in snippets',
    run: async args => (await import('./passages/passages.ts')).passages(args),
    alone: true,
  },
  values: {
    about: 'share of right values that a schema gets from real pages, each with a verified quote',
    run: async args => (await import('./values/values.ts')).values(args),
    alone: true,
  },
  wizards: {
    about: 'share of questions that wizards answer on real pages, and answer right',
    run: async args => (await import('./quality/wizards.ts')).wizards(args),
    alone: true,
  },
  rerank: {
    about: 'how long a reranking model in the process takes',
    run: async args => (await import('./rerank/rerank.ts')).rerank(args),
    alone: true,
  },
  cluster: {
    about: 'writes and searches of a cluster, beside OpenSearch alone with a date filter',
    run: async args => (await import('./cluster/cluster.ts')).cluster(args),
    alone: true,
  },
  'real-pages': {
    about: 'makes a file of pages for speed --real from folders of documentation',
    run: async args => (await import('./apparatus/real-pages.ts')).realPages(args),
    alone: true,
  },
}

interface Typed {
  typed: (args: string[]) => Promise<void>
}

interface Packages {
  packages: (args: string[]) => Promise<void>
}

/** Imports a file that imports packages of bench/node_modules, whose types are unknown until these are installed. */
async function importInstalled<Module>(path: string): Promise<Module> {
  return (await import(path)) as Module
}

function installPackages(): void {
  if (Object.keys(manifest.dependencies).every(name => existsSync(new URL(`./node_modules/${name}`, import.meta.url))))
    return
  console.error('Installing the other engines into bench/node_modules (npm ci) …')
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('npm ci failed in bench/: see its message above', { cause: error })
}

const [name = '', ...args] = process.argv.slice(2)
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined
if (suite) {
  if (!suite.alone) installPackages()
  await suite.run(args)
} else {
  const list = Object.entries(suites).map(([key, { about }]) => `  ${key.padEnd(12)}${about}`)
  console.error(
    ['Usage: npm run bench -- <suite> [options]; --help lists the options of a suite', '', ...list].join('\n'),
  )
  process.exitCode = 2
}
