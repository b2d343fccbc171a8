import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), 'asof-refused-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Runs in a process that may start neither threads nor processes. */
const program = `import { extract, open } from ${JSON.stringify(new URL('../../../core/index.ts', import.meta.url).href)}
const engine = await open(${JSON.stringify(join(dir, 'data'))})
const page = { url: 'https://example.com/', html: '<title>Trains</title><p>The night train.' }
const codeOf = promise => promise.then(() => 'none', error => error.code)
await engine.add([{ url: 'https://example.com/plain', text: 'A short text needs no thread.' }])
const codes = [
  await codeOf(engine.add([page])),
  await codeOf(extract(page.html, { url: page.url })),
  await codeOf(engine.backup(${JSON.stringify(join(dir, 'copy'))})),
]
console.log(...codes, (await engine.search('text')).results.length)
await engine.close()
`

it('names a thread or process that Node has no permission to start', async () => {
  const permissions = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*', '--allow-addons']
  const { stdout } = await promisify(execFile)(process.execPath, [...permissions, '--input-type=module', '-e', program])
  expect(stdout).toBe('ASOF_WORKER_FAILED ASOF_WORKER_FAILED ASOF_WORKER_FAILED 1\n')
})
