/**
 * Runs a test of an application in Jest, which gives tests globals of their own, and in vitest. Both are installed for this in the
 * folder of the test.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = ['jest@30', 'vitest@4']

const test = `
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examine, extract, isAsofError, open } from '@asof/core'

const dir = join(mkdtempSync(join(tmpdir(), 'asof-tested-')), 'data')

test('an index in memory answers', async () => {
  const engine = await open(':memory:')
  await engine.add([{ id: 'p1', text: 'night trains', fields: { price: 20, at: new Date(0) }, acquiredAt: new Date('2025-01-01') }])
  const { results } = await engine.search('trains', { filter: { price: 20 }, queryTime: new Date('2025-06-01') })
  expect(results.map(result => result.url)).toEqual(['doc:p1'])
  await engine.close()
}, 60_000)

test('a folder is missing, opened, locked, copied, examined and opened again', async () => {
  await expect(open(dir, { create: false })).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
  const engine = await open(dir)
  await engine.add([{ url: 'https://a.example/', html: '<title>T</title><p>night trains' }])
  const failure = await open(dir).catch(error => error)
  expect(isAsofError(failure, 'ASOF_STORE_LOCKED')).toBe(true)
  await engine.backup(dir + '-copy')
  await engine.close()
  expect((await examine(dir)).sound).toBe(true)
  const copy = await open(dir + '-copy')
  expect((await copy.search('trains')).results).toHaveLength(1)
  await copy.close()
}, 60_000)

test('a page is extracted in a process, and a document without its package is an error', async () => {
  expect((await extract('<title>T</title><p>night trains', { url: 'https://a.example/' })).title).toBe('T')
  const pdf = extract(new TextEncoder().encode('%PDF-1.4'), { url: 'https://a.example/', contentType: 'application/pdf' })
  await expect(pdf).rejects.toMatchObject({ code: 'ASOF_EXTRACT_LIBRARY_MISSING' })
}, 60_000)
`

export async function checkTestRunners(folder, { tarballs, run, install }) {
  await install(folder, ...tarballs, ...packages)
  writeFileSync(join(folder, 'jest.test.mjs'), test)
  writeFileSync(join(folder, 'vitest.test.mjs'), `import { expect, test } from 'vitest'\n${test}`)
  const jest = { testEnvironment: 'node', testMatch: ['**/jest.test.mjs'], transform: {} }
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(jest))
  await run('node', ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--config', 'jest.config.json'], {
    cwd: folder,
  })
  await run('npx', ['vitest', 'run', '--globals', 'vitest.test.mjs'], { cwd: folder })
}
