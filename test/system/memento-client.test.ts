import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer, startTarget } from '../transports/http/running-server.ts'

/** A Python interpreter with the package `memento_client`. */
const python = process.env.ASOF_TEST_PYTHON ?? 'python3'
const hasClient = spawnSync(python, ['-c', 'import memento_client']).status === 0
if (!hasClient) console.log('skipped: Memento client (pip install memento_client; ASOF_TEST_PYTHON names the Python)')

interface Told {
  original: string
  mementos: Record<string, [uri: string, datetime: string]>
  status: number
  isTimeGate: boolean
  isMemento: boolean
  text: string
}

describe.skipIf(!hasClient)('the Memento client of the authors of RFC 7089', () => {
  let server: RunningServer
  let site: { url: string; close(): Promise<void> }
  let page: string
  const removedAt = Date.parse('2026-02-01T00:00:00Z')
  beforeAll(async () => {
    site = await startTarget((_, response) => response.end('<p>as it is now'))
    page = `${site.url}/a?x=1&y=2`
    server = await startServer({
      now: () => removedAt,
      captures: [
        { url: page, title: 'A', markdown: 'one', acquiredAt: '2025-01-10T00:00:00.250Z' },
        { url: page, title: 'A', markdown: 'two', acquiredAt: '2025-01-10T00:00:00.750Z' },
        { url: page, title: 'A', markdown: 'three', acquiredAt: '2025-06-10T12:00:00Z' },
      ],
    })
    await server.engine.remove(page)
  })
  afterAll(async () => {
    await server.close()
    await site.close()
  })

  it('finds the memento of each date, its neighbors, and the removal', async () => {
    const script = join(import.meta.dirname, 'memento-client.py')
    const dates = [
      '2023-01-01T00:00:00',
      '2025-01-10T00:00:00',
      '2025-03-01T00:00:00',
      '2025-07-01T00:00:00',
      '2026-03-01T00:00:00',
    ]
    const { stdout } = await promisify(execFile)(python, [script, `${server.url}/timegate/`, page, ...dates])
    const told = JSON.parse(stdout) as Told[]
    const uriM = (stamp: string) => `${server.url}/memento/${stamp}/${page}`
    const one = [uriM('20250110000000250'), '2025-01-10T00:00:00']
    const two = [uriM('20250110000000750'), '2025-01-10T00:00:00']
    const three = [uriM('20250610120000000'), '2025-06-10T12:00:00']
    const removal = [uriM('20260201000000000'), '2026-02-01T00:00:00']
    for (const { original, mementos, isTimeGate, isMemento } of told) {
      expect([original, isTimeGate, isMemento]).toEqual([page, true, true])
      expect([mementos.first, mementos.last]).toEqual([one, removal])
    }
    expect(told.map(({ mementos, status }) => [mementos.closest, status])).toEqual([
      [one, 200],
      [two, 200],
      [two, 200],
      [three, 200],
      [removal, 404],
    ])
    expect(told.slice(0, 4).map(({ text }) => text)).toEqual(['one', 'two', 'two', 'three'])
    expect([told[2]!.mementos.prev, told[2]!.mementos.next]).toEqual([one, three])
  })
})
