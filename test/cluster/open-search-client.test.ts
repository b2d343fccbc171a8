import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openSearchClient } from '../../cluster/open-search-client.ts'

/** What a server sends of an answer before it hangs. */
const beginnings = ['', '{"took":', ' '.repeat(100_000)]

describe('the client of OpenSearch', () => {
  let server: Server
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  /** The URL of a server that answers each request with a beginning, then with a further character now and then, and never ends. */
  async function hanging(beginning: string): Promise<string> {
    server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(beginning)
      response.flushHeaders()
      const drops = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drops))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it.each(beginnings)('gives up an answer that does not end (%#)', async beginning => {
    const client = await openSearchClient(await hanging(beginning))
    try {
      for (const maxRetries of [0, 1]) {
        const limits = { requestTimeout: 200, maxRetries }
        await expect(client.search({ index: 'any' }, limits)).rejects.toMatchObject({ name: 'ConnectionError' })
        await expect(client.bulk({ body: '{}\n' as never }, limits)).rejects.toMatchObject({ name: 'ConnectionError' })
      }
    } finally {
      await client.close()
    }
  })
})
