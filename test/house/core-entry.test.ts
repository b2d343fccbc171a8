import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

/** Imports files in a new process. @returns the URLs of all modules that were loaded. */
function loadedBy(...files: string[]): string[] {
  const entries = files.map(file => pathToFileURL(resolve(import.meta.dirname, '../..', file)).href)
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', listing(entries)], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  return JSON.parse(run.stdout) as string[]
}

const listing = (entries: readonly string[]) => `
import { registerHooks } from 'node:module'
const loaded = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    loaded.add(resolved.url)
    return resolved
  },
})
for (const entry of ${JSON.stringify(entries)}) await import(entry)
console.log(JSON.stringify([...loaded]))
`

it('checking options loads nothing of the engine and no package', () => {
  const loaded = loadedBy('core/options.ts', 'transports/client/index.ts')
  expect(loaded.some(url => url.endsWith('/core/options.ts'))).toBe(true)
  expect(loaded.filter(url => /\/core\/[^/]+\/(?!terms\/edit-distance)|\/node_modules\//.test(url))).toEqual([])
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
