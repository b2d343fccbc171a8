/** `npm run bench -- <suite> [options]`. Installs the rivals on first use: they are no dependencies of asof. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import rivals from './package.json' with { type: 'json' }

/** `alone`: the suite needs no rivals. */
const suites: Record<string, { about: string; run: (args: string[]) => Promise<void>; alone?: boolean }> = {
  speed: {
    about: 'asof beside its rivals: queries, indexing, memory, disk',
    run: async args => (await import('./speed/speed.ts')).speed(args),
  },
  http: {
    about: 'the HTTP server: what the transport costs, searches a second, overload',
    run: async args => (await import('./http/http.ts')).http(args),
  },
  mcp: {
    about: 'agents over MCP: many sessions for a long time, calls a second, memory',
    run: async args => (await import('./mcp/mcp.ts')).mcp(args),
  },
  suggest: {
    about: 'suggestions while somebody types: how long they take by the clock',
    run: async args => (await import('./suggest/suggest.ts')).suggest(args),
  },
  crawl: {
    about: 'asof beside Crawlee: crawling a synthetic web on loopback',
    run: async args => (await import('./crawl/crawl.ts')).crawl(args),
  },
  quality: {
    about: 'asof beside its rivals: how good the answers are, on judged collections',
    run: async args => (await import('./quality/quality.ts')).quality(args),
  },
  extract: {
    about: 'asof beside its rivals: how good and how fast the extraction of pages is',
    run: async args => (await import('./extract/extract.ts')).extract(args),
  },
  packages: {
    about: 'packages that asof replaced by its own code, beside that code',
    run: async args => (await importWithRivals<Packages>('./packages/replaced-packages.ts')).packages(args),
  },
  wizards: {
    about: 'how often wizards answer on real pages, and how often they are right',
    run: async args => (await import('./quality/wizards.ts')).wizards(args),
    alone: true,
  },
  'real-pages': {
    about: 'makes pages for speed --real out of folders of documentation',
    run: async args => (await import('./apparatus/real-pages.ts')).realPages(args),
    alone: true,
  },
}

interface Packages {
  packages: (args: string[]) => Promise<void>
}

/** Imports a file that imports rivals: its types are known once they are installed. */
async function importWithRivals<Module>(path: string): Promise<Module> {
  return (await import(path)) as Module
}

function installRivals(): void {
  if (Object.keys(rivals.dependencies).every(name => existsSync(new URL(`./node_modules/${name}`, import.meta.url))))
    return
  console.error('Installing the rivals into bench/node_modules (npm ci) …')
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('the rivals could not be installed: run "npm ci" in bench/', { cause: error })
}

const [name = '', ...args] = process.argv.slice(2)
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined
if (suite) {
  if (!suite.alone) installRivals()
  await suite.run(args)
} else {
  const list = Object.entries(suites).map(([key, { about }]) => `  ${key.padEnd(12)}${about}`)
  console.error(['npm run bench -- <suite> [options], with --help for the options of a suite', '', ...list].join('\n'))
  process.exitCode = 2
}
