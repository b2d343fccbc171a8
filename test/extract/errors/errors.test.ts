import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AsofError, type Engine, type ErrorCode, extract, open } from '../../../core/index.ts'
import { CrawlError } from '../../../crawler/errors.ts'
import { errorCodes } from '../../../extract/errors/errors.ts'

let dir: string
let engine: Engine

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-errors-'))
  engine = await open(dir)
})

afterAll(async () => {
  await engine.close()
  await rm(dir, { recursive: true, force: true })
})

/** Route handlers that let the errors of the engine pass, with the status that each must be answered with. */
const routes: { name: string; status: number; answer: () => Promise<unknown> }[] = [
  { name: '/empty-query', status: 400, answer: () => engine.search(' ') },
  { name: '/bad-time', status: 400, answer: () => engine.search('word', { queryTime: 'yesterdayish' }) },
  { name: '/bad-url', status: 400, answer: () => engine.page('no url') },
  {
    name: '/large-page',
    status: 413,
    answer: () => extract(new Uint8Array(21 * 1024 * 1024), { url: 'https://example.com/', contentType: 'text/html' }),
  },
  {
    name: '/picture',
    status: 415,
    answer: () => extract(new Uint8Array(8), { url: 'https://example.com/a.png', contentType: 'image/png' }),
  },
  {
    name: '/target-gone',
    status: 404,
    answer: async () => {
      throw new CrawlError('ASOF_FETCH_STATUS', 'the site answered 410', { details: { status: 410 } })
    },
  },
  {
    name: '/long-search',
    status: 503,
    answer: async () => {
      throw new AsofError('ASOF_SEARCH_TIMEOUT', 'the search took over 5000 ms of processor time')
    },
  },
  {
    name: '/no-index',
    status: 500,
    answer: () => open(join(dir, 'missing'), { create: false }),
  },
]

describe('AsofError', () => {
  it('has a status of an error answer for every code', () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const { statusCode } = new AsofError(code, 'why')
      expect(statusCode, code).toBe(errorCodes[code].statusCode)
      expect(statusCode >= 400 && statusCode < 600, code).toBe(true)
    }
  })

  it('is answered by a Fastify application with its statusCode, without an error handler', async () => {
    const app = fastify()
    for (const { name, answer } of routes) app.get(name, answer)
    for (const { name, status } of routes) expect((await app.inject(name)).statusCode, name).toBe(status)
    await app.close()
  })

  it('is answered by an Express application with its statusCode, without an error handler', async () => {
    const app = express()
    app.set('env', 'test')
    for (const { name, answer } of routes) app.get(name, answer)
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      for (const { name, status } of routes)
        expect((await fetch(`http://127.0.0.1:${port}${name}`)).status, name).toBe(status)
    } finally {
      server.close()
    }
  })
})
