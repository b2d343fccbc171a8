import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { FeedbackStore } from '../../service/feedback/feedback-store.ts'
import { JournalRecords } from '../../service/records/journal-records.ts'
import { addCustomer } from '../service/accounts/accounts.ts'
import { type RunningServer, startServer } from '../transports/http/running-server.ts'

const run = promisify(execFile)

/** Generators of clients, in the versions that are tested. They need another TypeScript than asof, so they are installed apart. */
const npmPackages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@24.19.2']
const pythonPackage = 'openapi-python-client==0.29.1'

const [a, b, c] = ['a', 'b', 'c'].map(name => `https://${name}.example/`)
/** What each client reads. */
const expected = {
  get: [a, b],
  post: [a, b],
  filter: [a],
  pages: 2,
  keyed: [a, b],
  keyed_post: [a, b],
  fetch: 'ships at sea',
  keyed_fetch: 'ships at sea',
  history: 1,
  page: a,
  captures: 3,
  fields: ['price'],
  suggest: 'Ships',
  verify: 'verbatim',
  feedback: 'Thank you',
  bad: 'sites',
  services: 2,
  manifest: true,
}

let dir: string
let server: RunningServer
let journal: FeedbackStore
let key: string

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'asof-clients-'))
  journal = await FeedbackStore.open(await JournalRecords.open(path.join(dir, 'feedback')))
  const captures = [a, b, c].map((url, i) => ({
    url: url!,
    title: 'Ships',
    text: 'ships at sea',
    fields: { price: 10 * (i + 1) + 5 * i },
  }))
  server = await startServer({ accounts: true, captures, parts: async () => ({ journal }) })
  key = (await addCustomer(server.access)).key
  await writeFile(path.join(dir, 'openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text())
})
afterAll(async () => {
  await server.close()
  await journal.close()
  await rm(dir, { recursive: true, force: true })
})

/** Installs packages, or skips the test with the reason if the registry cannot be reached. */
async function install(context: TestContext, command: string, args: readonly string[]): Promise<void> {
  try {
    await run(command, args, { cwd: dir, timeout: 240_000 })
  } catch (error) {
    const { message } = error as Error
    console.log(`skipped: generated client (${command} failed: ${message.split('\n', 2).join(' ')})`)
    context.skip()
  }
}

describe('a client that was generated from the OpenAPI document', { timeout: 600_000 }, () => {
  it('by openapi-typescript has right types, and with openapi-fetch runs every example', async context => {
    await writeFile(path.join(dir, 'package.json'), '{"type":"module"}')
    await install(context, 'npm', ['install', '--no-audit', '--no-fund', ...npmPackages])
    const tool = (name: string) => path.join(dir, 'node_modules/.bin', name)
    await run(tool('openapi-typescript'), ['openapi.json', '-o', 'api.ts'], { cwd: dir })
    await copyFile(path.join(import.meta.dirname, 'generated-client.ts.txt'), path.join(dir, 'client.ts'))
    const strict = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--skipLibCheck']
    const target = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const checked = await run(tool('tsc'), [...strict, ...target, 'client.ts'], { cwd: dir }).catch(
      (error: { stdout: string }) => error,
    )
    expect(checked.stdout).toBe('')
    const { stdout } = await run(process.execPath, ['client.ts', server.url, key], { cwd: dir })
    expect(JSON.parse(stdout)).toEqual({ ...expected, commas: [a, b], filter_get: [a] })
    expect(server.failures).toEqual([])
  })

  it('by openapi-python-client runs every example', async context => {
    const python = path.join(dir, 'venv/bin/python')
    await install(context, process.env.ASOF_TEST_PYTHON ?? 'python3', ['-m', 'venv', 'venv'])
    await install(context, python, ['-m', 'pip', 'install', '--quiet', pythonPackage])
    const env = { ...process.env, PATH: `${path.dirname(python)}:${process.env.PATH}` }
    const generate = ['generate', '--path', 'openapi.json', '--output-path', 'python', '--fail-on-warning']
    await run(path.join(dir, 'venv/bin/openapi-python-client'), generate, { cwd: dir, env })
    const script = path.join(import.meta.dirname, 'generated-client.py')
    const paths = { ...env, PYTHONPATH: path.join(dir, 'python') }
    const { stdout } = await run(python, [script, server.url, key], { cwd: dir, env: paths })
    expect(JSON.parse(stdout)).toEqual(expected)
    expect(server.failures).toEqual([])
  })
})
