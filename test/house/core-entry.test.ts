import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

const entry = pathToFileURL(resolve(import.meta.dirname, '../../core/index.ts')).href

/** Imports the entry in a fresh process and prints what it, and all that it imports, resolves to. */
const listing = `
import { registerHooks } from 'node:module'
const loaded = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    loaded.add(resolved.url)
    return resolved
  },
})
await import(${JSON.stringify(entry)})
console.log(JSON.stringify([...loaded]))
`

it('importing the library alone loads nothing that talks over a network', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', listing], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  const loaded = JSON.parse(run.stdout) as string[]
  expect(loaded).toContain('node:worker_threads')
  const sockets =
    /^node:(http|https|http2|net|tls|dgram|dns)\b|\/node_modules\/(undici|fastify|@fastify|zod|commander|viem|@x402|maxmind)\//
  expect(loaded.filter(url => sockets.test(url))).toEqual([])
})
