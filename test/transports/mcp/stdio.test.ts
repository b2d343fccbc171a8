import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { ToolBackend } from '../../../transports/mcp/index.ts'
import { serveOverStdio } from '../../../transports/mcp/index.ts'
import { initialize, initialized, listTools, ping, toolCall } from './messages.ts'

const searched = { body: { query: 'ships', mode: 'pro' as const, results: [] } }
const call = (id: number | string, args: unknown = { query: 'ships' }) => toolCall('search_web_pages', args, id)

/** A backend for searches and fetches, of which only searches are answered. */
function searching(answer: () => Promise<{ answer: typeof searched }>): ToolBackend {
  return {
    offers: name => name === 'search' || name === 'fetch',
    answer: async name => {
      if (name !== 'search') throw new TypeError('no test fetches')
      return (await answer()) as never
    },
  }
}

interface Message {
  id: unknown
  result?: object
  error?: { code: number; message: string }
}

/** Sends lines, ends the input, and returns the lines of the answer. */
async function exchange(
  lines: readonly (object | string)[],
  answer: () => Promise<{ answer: typeof searched }> = async () => ({ answer: searched }),
): Promise<{ answers: (Message | Message[])[]; failures: string[] }> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const failures: string[] = []
  const backend = searching(answer)
  const serving = serveOverStdio(
    { backend, onRefusal: () => {} },
    {
      input,
      output,
      signal: new AbortController().signal,
      onFailure: failure => failures.push(failure.message),
    },
  )
  const written = text(output)
  input.end(lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  await serving
  output.end()
  const answers = (await written).split('\n').filter(line => line !== '')
  return { answers: answers.map(line => JSON.parse(line) as Message | Message[]), failures }
}

const idsOf = (answers: readonly (Message | Message[])[]) => answers.flat().map(({ id }) => id)

describe('stdio', () => {
  it.each(['2025-03-26', '2025-11-25'])('answers what is under way when the input ends (%s)', async revision => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = async () => {
      await promise
      return { answer: searched }
    }
    setImmediate(() => setImmediate(resolve))
    const { answers } = await exchange([initialize(revision), initialized, call(2), listTools(4)], slow)
    expect(idsOf(answers).toSorted()).toEqual([1, 2, 4])
  })

  it('does not wait for a call that its client cancelled', async () => {
    const never = () => new Promise<never>(() => {})
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    const { answers } = await exchange([initialize('2025-11-25'), call(2), cancel], never)
    expect(idsOf(answers)).toEqual([1])
  })

  it('answers a batch by a list, with an error for what is no message', async () => {
    const { answers, failures } = await exchange([initialize('2025-03-26'), [ping(9), call('ten'), 7, ping(11)]])
    const batch = answers[1] as Message[]
    expect(idsOf(batch)).toEqual(expect.arrayContaining([9, 'ten', 11, null]))
    expect(batch).toHaveLength(4)
    expect(batch.find(({ id }) => id === null)?.error?.code).toBe(-32_600)
    expect(failures).toEqual([])
  })

  it.each([
    ['{"jsonrpc": "2.0", "id"', -32_700],
    ['not JSON', -32_700],
    ['[]', -32_600],
    ['7', -32_600],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', -32_600],
    [JSON.stringify(Array.from({ length: 51 }, (_, i) => ping(i))), -32_600],
    [`"${'x'.repeat(9 * 2 ** 20)}"`, -32_600],
  ])('answers a bad line by an error, and reads on: %#', async (line, code) => {
    const { answers, failures } = await exchange([initialize('2025-11-25'), line, '', '\r', ping(5)])
    const error = answers.flat().find(answer => answer.error)
    const pong = answers.flat().find(({ id }) => id === 5)
    expect([error?.error?.code, error?.id, pong?.result]).toEqual([
      code,
      code === -32_700 || !line.startsWith('{') ? null : 3,
      {},
    ])
    expect(failures).toEqual([])
  })

  it.each([
    JSON.stringify(call(2, { query: 'ships', filter: { id: 1 } })).replace('"id":1}', '"id":4223372036854775806}'),
    JSON.stringify(call(2, '{"query":"ships","filter":{"id":4223372036854775806}}')),
  ])('refuses an integer that a number does not hold exactly: %s', async line => {
    const { answers } = await exchange([initialize('2025-11-25'), line])
    const refused = answers.flat().find(({ id }) => id === 2)?.result
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('filter.id') }] })
  })

  it.each([{ params: null }, { params: [] }, { params: { _meta: null } }])('answers a request with %j', async more => {
    const { answers } = await exchange([initialize('2025-11-25'), ping(3, more)])
    expect(answers[1]).toMatchObject({ id: 3, result: {} })
  })

  it.each([{ query: 'ships', site: null }, '{"query":"ships"}'])('answers a call with the arguments %j', async args => {
    const { answers } = await exchange([initialize('2025-11-25'), call(3, args)])
    expect(answers[1]).toMatchObject({ id: 3, result: { structuredContent: { results: [] } } })
  })

  it('answers a last line without its end, with a byte order mark before the first', async () => {
    const { answers } = await exchange([`\uFEFF${JSON.stringify(initialize('2025-11-25'))}`, ping(3)])
    expect(idsOf(answers)).toEqual([1, 3])
  })
})

describe('the list of tools over stdio', () => {
  /** Answers one client that stays connected. */
  function connected(backend: Partial<ToolBackend>) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = serveOverStdio(
      {
        backend: { ...searching(async () => ({ answer: searched })), ...backend },
        onRefusal: () => {},
      },
      { input, output, signal: new AbortController().signal, onFailure: () => {} },
    )
    const lines = createInterface(output)[Symbol.asyncIterator]()
    return {
      send: (message: object) => input.write(`${JSON.stringify(message)}\n`),
      next: async () => JSON.parse((await lines.next()).value as string),
      end: async () => {
        input.end()
        await serving
        output.end()
        const rest: string[] = []
        for (let line = await lines.next(); !line.done; line = await lines.next()) rest.push(line.value)
        return rest
      },
    }
  }
  const argumentsIn = ({ result }: { result: { tools: { inputSchema: { properties: object } }[] } }) =>
    result.tools.map(tool => Object.keys(tool.inputSchema.properties).length)

  it('has the arguments for fields after a call has shown that pages have some, and says that it has changed', async () => {
    let hasFields = false
    const client = connected({ hasFields: async () => hasFields })
    client.send(initialize('2025-11-25'))
    expect((await client.next()).result.capabilities.tools).toEqual({ listChanged: true })
    client.send(initialized)
    client.send(listTools(2))
    const short = await client.next()
    expect(JSON.stringify(short)).not.toContain('"filter"')
    client.send(call(3))
    expect((await client.next()).id).toBe(3)
    hasFields = true
    client.send(call(4))
    const messages = [await client.next(), await client.next(), await client.next()]
    expect(messages.filter(({ id }) => id === 4)).toHaveLength(1)
    const changes = messages.filter(({ method }) => method === 'notifications/tools/list_changed')
    expect(changes.length).toBeGreaterThan(0)
    client.send(listTools(5))
    const full = await client.next()
    expect(JSON.stringify(full)).toContain('"filter"')
    expect(argumentsIn(full)[0]).toBeGreaterThan(argumentsIn(short)[0]!)
    client.send(call(6))
    expect((await client.next()).id).toBe(6)
    expect(await client.end()).toEqual([])
  })

  it.each([true, false])('never changes if the setting is %s', async listsAllArguments => {
    const client = connected({ listsAllArguments, hasFields: async () => true })
    client.send(initialize('2025-11-25'))
    expect((await client.next()).result.capabilities.tools).toEqual({ listChanged: false })
    client.send(initialized)
    client.send(call(2))
    expect((await client.next()).id).toBe(2)
    client.send(listTools(3))
    expect(JSON.stringify(await client.next()).includes('"filter"')).toBe(listsAllArguments)
    expect(await client.end()).toEqual([])
  })

  it('stays as it is if the fields cannot be read', async () => {
    const client = connected({ hasFields: () => Promise.reject(new TypeError('closed')) })
    for (const message of [initialize('2025-11-25'), initialized, call(2)]) client.send(message)
    expect([(await client.next()).id, (await client.next()).id]).toEqual([1, 2])
    expect(await client.end()).toEqual([])
  })
})
