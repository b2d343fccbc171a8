import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { FacilitatorClient, MAX_FACILITATOR_BYTES } from '../../../store/payments/facilitator-client.ts'

describe('a client of a facilitator', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  })

  async function start(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const kinds = [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453', extra: {} }]

  it('sends the token and reads the answer', async () => {
    let token: string | undefined
    const url = await start((request, response) => {
      token = request.headers.authorization
      response.end(JSON.stringify({ kinds, extensions: [] }))
    })
    const client = new FacilitatorClient({ url: `${url}/`, token: 'secret' }, 10_000)
    expect(await client.kinds()).toMatchObject([{ network: 'eip155:8453' }])
    expect(token).toBe('Bearer secret')
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async status => {
    let reached = 0
    const elsewhere = await start((_, response) => {
      reached += 1
      response.end(JSON.stringify({ kinds }))
    })
    const url = await start((_, response) => response.writeHead(status, { location: `${elsewhere}/supported` }).end())
    await expect(new FacilitatorClient({ url, token: 'secret' }, 10_000).kinds()).rejects.toThrow()
    expect(reached).toBe(0)
  })

  it.each([true, false])('reads no more than 256 KiB of an answer (content-length: %s)', async named => {
    let sent = 0
    const url = await start((_, response) => {
      const part = Buffer.alloc(64 * 1024, 32)
      if (named) response.setHeader('content-length', 1 << 30)
      const send = () => {
        while (!response.destroyed && sent < 1 << 30) {
          sent += part.length
          if (!response.write(part)) return response.once('drain', send)
        }
        return response.end()
      }
      send()
    })
    await expect(new FacilitatorClient({ url }, 60_000).kinds()).rejects.toThrow()
    expect(MAX_FACILITATOR_BYTES).toBe(256 * 1024)
    // The server's data is in socket buffers, which hold a few MiB.
    expect(sent).toBeLessThan(64 * 2 ** 20)
  })

  it('applies its time limit to the whole answer', async () => {
    const url = await start((_, response) => {
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    })
    await expect(new FacilitatorClient({ url }, 300).kinds()).rejects.toThrow(/timeout/)
  })

  it.each(['[]', '{"kinds":7}', 'null', '<html>', ''])('rejects an answer with another form: %j', async body => {
    const url = await start((_, response) => response.end(body))
    await expect(new FacilitatorClient({ url }, 10_000).kinds()).rejects.toThrow()
  })
})
