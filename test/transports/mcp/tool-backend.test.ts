import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../transports/client/index.ts'
import { remoteBackend } from '../../../transports/mcp/index.ts'
import { startTarget } from '../http/running-server.ts'

it('the backend of a remote server asks whether pages have fields again after a failure, but not after an answer', async () => {
  let asked = 0
  const { url, close } = await startTarget((_, response) => {
    asked += 1
    response.setHeader('Content-Type', 'application/json')
    if (asked === 1) response.writeHead(404).end('{"error":"not_found","message":"no such route"}')
    else response.end('{"fields":[{"name":"price","type":"number","pages":1,"examples":[]}]}')
  })
  onTestFinished(close)
  const { hasFields } = remoteBackend(createClient({ url, title: 'tests' }))
  await expect(hasFields!()).rejects.toMatchObject({ error: 'not_found' })
  expect([await hasFields!(), await hasFields!(), asked]).toEqual([true, true, 2])
})
