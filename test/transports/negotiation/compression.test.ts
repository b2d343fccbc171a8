import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { addCompression } from '../../../transports/negotiation/compression.ts'

describe('addCompression', () => {
  const long = JSON.stringify('time '.repeat(20_000))
  const answers: Record<string, () => unknown> = {
    '/short': () => JSON.stringify('time '.repeat(400)),
    '/long': () => long,
    '/bytes': () => Buffer.from(long),
    '/tiny': () => '"time"',
    '/stream': () =>
      new Response(long, { headers: { 'content-type': 'application/json', 'content-length': '100002' } }),
    '/events': () => new Response(`data: ${long}\n\n`, { headers: { 'content-type': 'text/event-stream' } }),
    '/empty': () => new Response(null, { status: 202 }),
  }

  function answer(path: string, headers: Record<string, string> = { 'accept-encoding': 'gzip' }, method = 'GET') {
    const app = fastify()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('vary', 'Origin')
    })
    addCompression(app, 1024)
    for (const [route, made] of Object.entries(answers))
      app.get(route, (_request, reply) => reply.type('application/json').send(made()))
    return app.inject({ method: method as 'GET', url: path, headers })
  }

  it.each(['/short', '/long', '/bytes', '/stream'])('compresses %s', async path => {
    const plain = await answer(path, {})
    const compressed = await answer(path)
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Origin, accept-encoding' })
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.payload)
    if (path !== '/stream') expect(Number(compressed.headers['content-length'])).toBe(compressed.rawPayload.length)
    else expect(compressed.headers['content-length']).toBeUndefined()
  })

  it.each(['/tiny', '/events', '/empty'])('sends %s as it is', async path => {
    const { headers } = await answer(path)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Origin'])
  })

  it('leaves the headers of HEAD without an encoding', async () => {
    const { headers } = await answer('/long', { 'accept-encoding': 'gzip' }, 'HEAD')
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['content-length']).toBe(String(Buffer.byteLength(long)))
  })
})
