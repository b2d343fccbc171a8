import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')

/** A call that costs as much as a fetch, and answers with its request. */
const echo = `import { z } from 'zod'
import type { CallOf } from './call.ts'

const echoRequest = z.strictObject({ text: z.string().min(1) })
const echoResponse = z.strictObject({ text: z.string() })

export const echoCall = {
  request: echoRequest,
  response: echoResponse,
  methods: ['GET', 'POST'],
  callers: 'all',
  described: { summary: 'Echo a text', answer: 'The text.' },
  failures: [],
  charged: {
    kind: 'fetch',
    sku: () => 'fetch',
    title: 'Echo',
    noun: 'echo',
    indexOf: () => ({}),
    needsNoPages: true,
    refusedUnderZeroRetention: () => undefined,
    failedUpstream: 'storefront_unavailable',
  },
  run: async ({ now }, { text }) => ({ body: { text }, instant: now() }),
} satisfies CallOf<typeof echoRequest, typeof echoResponse>
`

/** A way in for whoever knows a word, on which every call that costs something is free. */
const byWord = `import type { ChargedName, Service } from '../../../service/index.ts'
import { isCharged, ServiceError } from '../../../service/index.ts'
import { addWayIn } from '../admission/way-in.ts'
import { clientCall, sendAnswer } from '../request/service-call.ts'
import type { Way } from './way.ts'

export function wayByWord(service: Service, word: string): Way<ChargedName> {
  return {
    offers: isCharged,
    path: name => \`/v1/by-word/\${name}\`,
    described: {
      kind: 'by a word',
      operationId: (name, method) => \`\${name}_by_word\${method}\`,
      shared: { security: [] },
      failures: () => ['forbidden'],
    },
    isPublic: false,
    answersHead: true,
    admit: app =>
      addWayIn(app, () => ({}), (_admission, { headers }) => {
        if (headers['x-word'] !== word) throw new ServiceError('forbidden', 'Say the word.')
      }),
    answer: async ({ name, asked, request, reply }) =>
      sendAnswer(reply, await service.answer(name, asked, { ...clientCall(request, reply), keyed: true })),
  }
}
`

/** Starts servers with the call and the way in, makes the call in every way, and prints what came back. */
const ask = `import { createService } from './service/index.ts'
import { addCustomer } from './test/service/accounts/accounts.ts'
import { startChain } from './test/store/payments/local-chain.ts'
import { buyer, startPaidServer } from './test/store/payments/paid-server.ts'
import { startServer } from './test/transports/http/running-server.ts'
import { wayByWord } from './transports/http/ways/by-word.ts'
import { createClient } from './transports/client/index.ts'
import { keyedBackend } from './transports/mcp/index.ts'
import { upstreamService } from './transports/upstream/index.ts'

const chain = await startChain()
const server = await startPaidServer(chain, {
  accounts: true,
  http: { ways: [{ add: ({ groups, service }) => groups.addWay(wayByWord(service, 'sesame')) }] },
})
const { key, org } = await addCustomer(server.access, { credits: 10 })
const agentOf = async ({ access }) => {
  const { agent, token } = await access.registerAgent()
  await access.administer('plan.grant', { agent: agent.id, plan: 'pack-1000', order: agent.id }, 'test')
  return { id: agent.id, token }
}
const left = async ({ access }, id) => (await access.administer('agent.show', { id }, 'test')).plans[0].units_left
const shown = async response => [response.status, await response.text(), response.headers.get('x-asof-usage')]
const get = async (path, headers = {}) => shown(await fetch(server.url + path, { headers }))
const post = async (path, headers = {}) =>
  shown(await fetch(server.url + path, {
    method: 'POST', body: '{"text":"hi"}', headers: { 'content-type': 'application/json', ...headers },
  }))
const agent = await agentOf(server)
const pay = buyer(await chain.payer())
const answers = {
  keyless: await get('/v1/echo/public?text=hi', { 'x-service-title': 'toy' }),
  unnamed: await get('/v1/echo/public?text=hi'),
  keyed: await get('/v1/echo?text=hi', { 'x-api-key': key }),
  posted: await post('/v1/echo', { 'x-api-key': key }),
  wrong: await get('/v1/echo?text=', { 'x-api-key': key }),
  storefront: await get('/v1/storefront/echo?text=hi', { authorization: 'Bearer ' + agent.token }),
  unpaid: (await get('/v1/x402/echo?text=hi'))[0],
  paid: (await shown(await pay(server.url + '/v1/x402/echo?text=hi'))).slice(0, 2),
  word: await get('/v1/by-word/echo?text=hi', { 'x-word': 'sesame' }),
  noWord: (await get('/v1/by-word/search?query=tea'))[0],
  wordSearch: (await get('/v1/by-word/search?query=tea&mode=realtime', { 'x-word': 'sesame' }))[0],
  wordFetch: (await get('/v1/by-word/fetch?url=https://example.com/tea', { 'x-word': 'sesame' }))[0],
  wordHistory: (await get('/v1/by-word/history?url=https://example.com/tea', { 'x-word': 'sesame' }))[0],
  client: await createClient({ url: server.url, key }).echo({ text: 'hi' }),
  agentLeft: await left(server, agent.id),
}
const { caller } = await server.access.identify(key)
const service = createService(server.engine, () => Promise.reject(new Error('nothing is fetched live')))
const backend = keyedBackend(service, server.access, caller, { isTooLate: () => false })
answers.tool = await backend.answer('echo', { text: 'hi' })
answers.usage = (await server.access.administer('usage.show', { org }, 'test')).credits_charged

// A storefront in front of that server, whose own service must not be asked.
const unasked = { check: service.check, answer: () => Promise.reject(new Error('answered here')) }
const onPlans = upstreamService(unasked, { url: server.url, key })
const front = await startServer({ accounts: true, http: { service: onPlans } })
const visitor = await agentOf(front)
const headers = { authorization: 'Bearer ' + visitor.token }
answers.upstream = await shown(await fetch(front.url + '/v1/storefront/echo?text=hi', { headers }))
answers.upstreamLeft = await left(front, visitor.id)

const { paths } = await (await fetch(server.url + '/openapi.json')).json()
answers.operations = Object.entries(paths)
  .filter(([path]) => /echo|by-word/.test(path))
  .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId))
await front.close()
await server.close()
await chain.close()
console.log(JSON.stringify(answers))
process.exit(0)
`

let copy: string

/** Changes a file of the copy. */
async function edit(file: string, before: string, after: string): Promise<void> {
  const place = path.join(copy, file)
  const text = await readFile(place, 'utf8')
  if (text.split(before).length !== 2) throw new Error(`${file} does not have "${before}" once`)
  await writeFile(place, text.replace(before, after))
}

/** Returns the errors of the compiler in the service and the transports of the copy, without their places in the files. */
async function typeErrors(): Promise<string[]> {
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['--noEmit', '-p', 'toy.json'], { cwd: copy }).catch(
    (failed: { stdout: string }) => failed,
  )
  return [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file)
}

beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), 'asof-new-call-'))
  for (const folder of ['service', 'store', 'transports', 'test/service', 'test/store', 'test/transports'])
    await cp(path.join(root, folder), path.join(copy, folder), { recursive: true })
  for (const name of [
    'node_modules',
    'extract',
    'core',
    'cluster',
    'database',
    'crawler',
    'package.json',
    'tsconfig.json',
  ])
    await symlink(path.join(root, name), path.join(copy, name))
  await writeFile(path.join(copy, 'ask.ts'), ask)
  await writeFile(
    path.join(copy, 'toy.json'),
    JSON.stringify({ extends: './tsconfig.json', include: ['service', 'store', 'transports'] }),
  )
  // A new call: a file, and a line in the table.
  await writeFile(path.join(copy, 'service/calls/echo.ts'), echo)
  await edit('service/calls/calls.ts', '  suggest: suggestCall,\n', '  suggest: suggestCall,\n  echo: echoCall,\n')
  await edit('service/calls/calls.ts', 'import type { z }', "import { echoCall } from './echo.ts'\nimport type { z }")
  // A new way in: a file. The server gets it in a setting.
  await writeFile(path.join(copy, 'transports/http/ways/by-word.ts'), byWord)
})
afterAll(() => rm(copy, { recursive: true, force: true }))

describe('a new call and a new way in', () => {
  it('need a line in the table of the client, without which nothing compiles, and no other change', async () => {
    expect(await typeErrors()).toEqual(['transports/client/client.ts'])
    const fields = "  suggest: { method: 'GET', isPublicToo: false },\n"
    await edit('transports/client/client.ts', fields, `${fields}  echo: { method: 'GET', isPublicToo: true },\n`)
    expect(await typeErrors()).toEqual([])
  })

  it('are answered, charged and described on every way, by the client, for agents and behind an upstream', async () => {
    const { stdout } = await run(process.execPath, ['ask.ts'], { cwd: copy })
    const said = '{"text":"hi"}'
    const usage = (paid: boolean) => JSON.stringify({ sku: 'fetch', amount: 1, credits: 1, paid })
    const answers = JSON.parse(stdout)
    expect(answers).toEqual({
      keyless: [200, said, null],
      unnamed: [400, expect.stringContaining('Missing app identifier'), null],
      keyed: [200, said, usage(false)],
      posted: [200, said, usage(false)],
      wrong: [400, expect.stringContaining('"path":"text"'), null],
      storefront: [200, said, usage(true)],
      unpaid: 402,
      paid: [200, said],
      word: [200, said, null],
      noWord: 403,
      wordSearch: 200,
      wordFetch: 200,
      wordHistory: 404,
      client: { text: 'hi' },
      agentLeft: 999,
      tool: { answer: { body: { text: 'hi' }, instant: expect.any(Number) }, charge: JSON.parse(usage(false)) },
      usage: 4,
      upstream: [200, said, usage(true)],
      upstreamLeft: 999,
      operations: expect.any(Array),
    })
    expect(answers.operations.toSorted()).toEqual(
      `echo_public_get echo_public_post echo_get echo_post echo_x402_get echo_x402_post storefront_echo_get storefront_echo_post
      echo_by_word_get echo_by_word_post search_by_word_get search_by_word_post fetch_by_word verify_by_word
      passages_by_word_get passages_by_word_post map_by_word_get map_by_word_post extract_by_word`
        .split(/\s+/)
        .toSorted(),
    )
  })
})
