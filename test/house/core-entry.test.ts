import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import extractJson from '../../extract/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }

/** Packages that css-select brings. */
const ofSelectors = ['boolbase', 'dom-serializer', 'domelementtype', 'domhandler', 'domutils', 'nth-check']

/** Imports files in a new process. @returns the URLs of all modules that were loaded. */
function loadedBy(...files: string[]): string[] {
  return JSON.parse(ran(listing(urlsOf(files), false))) as string[]
}

function urlsOf(files: readonly string[]): string[] {
  return files.map(file => pathToFileURL(resolve(import.meta.dirname, '../..', file)).href)
}

/** Runs a program in a new process. @returns what it printed. */
function ran(program: string): string {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  return run.stdout
}

/** @param isLate - true to print the modules at the end of the process, not when the entries are imported. */
const listing = (entries: readonly string[], isLate: boolean) => `
import { registerHooks } from 'node:module'
const loaded = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    loaded.add(resolved.url)
    return resolved
  },
})
const print = () => console.log(JSON.stringify([...loaded]))
for (const entry of ${JSON.stringify(entries)}) await import(entry)
${isLate ? "process.on('exit', print)" : 'print()'}
`

it('checking options loads nothing of the engine, nothing that extracts and no package', () => {
  const loaded = loadedBy('extract/errors/index.ts', 'entries/client.ts')
  expect(loaded.some(url => url.endsWith('/extract/errors/options.ts'))).toBe(true)
  const more = /\/core\/|\/extract\/(?!(?:errors|characters)\/)|\/node_modules\//
  expect(loaded.filter(url => more.test(url))).toEqual([])
})

it('importing extraction loads neither the engine nor LevelDB, a server or the network', () => {
  const loaded = loadedBy('entries/extract.ts')
  expect(loaded.some(url => url.endsWith('/extract/extract-page.ts'))).toBe(true)
  const packages = loaded.flatMap(url => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])
  const others = new Set(packages.filter(name => !Object.hasOwn(extractJson.dependencies, name)))
  expect([...others].sort()).toEqual(ofSelectors)
  const outside =
    /\/(?:core|cluster|crawler|database|service|store|transports)\/|^node:(?:http|https|http2|net|tls|dgram|dns)\b/
  expect(loaded.filter(url => outside.test(url))).toEqual([])
})

it('importing the library loads no network modules', () => {
  const loaded = loadedBy('core/index.ts')
  expect(loaded).toContain('node:worker_threads')
  const sockets =
    /^node:(http|https|http2|net|tls|dgram|dns)\b|\/node_modules\/(undici|fastify|@fastify|@modelcontextprotocol|jose|zod|commander|viem|@x402|maxmind|tiny-secp256k1)\//
  expect(loaded.filter(url => sockets.test(url))).toEqual([])
})

it('the server and the command line load no blockchain packages unless payments are enabled', () => {
  const loaded = loadedBy(
    'transports/cli/http-service.ts',
    'service/data-folder/index.ts',
    'transports/cli/commands/payments.ts',
  )
  expect(loaded.some(url => url.endsWith('/payments/payment-ledger.ts'))).toBe(true)
  expect(loaded.filter(url => /\/node_modules\/(viem|@x402|maxmind|tiny-secp256k1)\//.test(url))).toEqual([])
})

it('serving a data folder over HTTP loads nothing of the command line', () => {
  const loaded = loadedBy('service/data-folder/index.ts', 'transports/http/index.ts')
  expect(loaded.filter(url => /\/transports\/cli\/|\/node_modules\/commander\//.test(url))).toEqual([])
})

it('importing the library loads what opens an index only when one is opened', () => {
  const loaded = loadedBy('core/index.ts')
  expect(loaded.some(url => url.endsWith('/core/engine/open.ts'))).toBe(true)
  const later =
    /\/core\/(?:engine\/(?:local-index|engine-parts)|ingest|merge|store\/folder-store|search\/|repair\/(?:examine|repair)|upgrade)|\/extract\/(?:extract-page|html|content|page-fields|written-dates\/date-text)/
  expect(loaded.filter(url => later.test(url))).toEqual([])
  expect(
    loaded.filter(url =>
      /\/node_modules\/(?:classic-level|htmlparser2|css-select|chardet|piscina|jsonrepair)\//.test(url),
    ),
  ).toEqual([])
})

it('the encoder of models and the constants of their pair are not loaded where no text is embedded', () => {
  const entries = ['entries/index.ts', 'service/data-folder/index.ts', 'transports/cli/http-service.ts']
  const program = `
const { open, localModel } = await import(${JSON.stringify(urlsOf(['entries/index.ts'])[0])})
try { localModel('none', { folder: '/none' }) } catch (error) { if (error.code !== 'ASOF_MODEL_INVALID') throw error }
const engine = await open(':memory:', { searchThreads: 0 })
await engine.add([{ id: 'a', text: 'night trains' }])
const { results } = await engine.search('trains', { mode: 'pro' })
if (results.length !== 1) throw new Error('nothing was found')
await engine.close()`
  const loaded = JSON.parse(ran(`${listing(urlsOf(entries), true)}${program}`)) as string[]
  expect(loaded.some(url => url.endsWith('/service/local-models/local-model.ts'))).toBe(true)
  expect(loaded.filter(url => /\/encoder\/|@asof\/encoder|\/pair-constants/.test(url))).toEqual([])
})

it('the command line prints its version without loading a command', () => {
  for (const flag of ['--version', '-V']) {
    // The entry starts its work and does not wait for it, so the list is printed at the end of the process.
    const run = ran(
      `process.argv = [process.execPath, 'asof', '${flag}']\n${listing(urlsOf(['transports/cli/main.ts']), true)}`,
    )
    const [version, modules = ''] = run.split('\n')
    expect(version).toBe(packageJson.version)
    const loaded = JSON.parse(modules) as string[]
    expect(loaded.some(url => url.endsWith('/transports/mcp/package-version.ts'))).toBe(true)
    const needed =
      /\/(?:extract\/node-version\.ts|transports\/cli\/main\.ts|transports\/mcp\/package-version\.ts|package\.json)$|^node:/
    expect(loaded.filter(url => !needed.test(url))).toEqual([])
  }
})
