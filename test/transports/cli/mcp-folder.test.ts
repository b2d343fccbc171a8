import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reachDataFolder } from '../../../service/data-folder/index.ts'
import { parseRequest, searchRequest } from '../../../service/index.ts'
import { LastingFolder } from '../../../transports/cli/mcp-folder.ts'

const ships = parseRequest(searchRequest, { query: 'ships' })

describe('a data folder that answers an agent', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'asof-lasting-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  const open = () =>
    reachDataFolder(dir, { create: true, allowPrivate: false, share: true, now: Date.now, onNotice: () => {} })

  it('is opened at the first call and closed at the end', async () => {
    let opened = 0
    const counting = async () => {
      opened += 1
      return open()
    }
    const folder = new LastingFolder(counting, { now: Date.now })
    expect(opened).toBe(0)
    await Promise.all([folder.backend.answer('search', ships), folder.backend.answer('search', ships)])
    expect(opened).toBe(1)
    await folder.close()
    await (await open()).close()
  })

  it('says that pages have fields once a call has opened it, and does not open it to say so', async () => {
    const holder = await open()
    await holder.engine.add([{ url: 'https://example.com/', text: 'ships at sea', fields: { price: 5 } }])
    await holder.close()
    let opened = 0
    const counting = async () => {
      opened += 1
      return open()
    }
    const folder = new LastingFolder(counting, { now: Date.now })
    expect(await folder.backend.hasFields!()).toBe(false)
    expect(opened).toBe(0)
    await folder.backend.answer('search', ships)
    expect(await folder.backend.hasFields!()).toBe(true)
    await folder.close()
  })

  it('continues when the process that held the folder has ended', async () => {
    const holder = await open()
    await holder.engine.add([{ url: 'https://example.com/', text: 'ships at sea' }])
    const folder = new LastingFolder(open, { now: Date.now })
    const urls = async () => (await folder.backend.answer('search', ships)).answer.body.results.map(({ url }) => url)
    expect(await urls()).toEqual(['https://example.com/'])
    await holder.close()
    expect(await Promise.all([urls(), urls()])).toEqual([['https://example.com/'], ['https://example.com/']])
    await folder.close()
  })

  it('stores feedback even if another process holds the folder', async () => {
    const holder = await open()
    const folder = new LastingFolder(open, { now: Date.now })
    const given = { query: 'ships', feedback: { 'https://example.com/': 4 } }
    const { answer } = await folder.backend.answer('feedback', given)
    expect(answer.body.message).toContain('1 judgment')
    const parts: number[] = []
    await holder.exportFeedback(({ judgments }) => {
      parts.push(judgments)
    })
    expect(parts).toEqual([1])
    await folder.close()
    await holder.close()
  })

  it('shows a sealed agent nothing that came after the seal, and offers no feedback', async () => {
    const holder = await open()
    const url = 'https://example.com/'
    await holder.engine.add(
      ['2020', '2021'].map(year => ({ url, text: `ships of ${year}`, acquiredAt: `${year}-06-01` })),
    )
    const sealedAt = Date.UTC(2020, 11, 31)
    const folder = new LastingFolder(open, { now: Date.now, sealedAt })
    const { backend } = folder
    expect([backend.sealedAt, backend.offers('feedback')]).toEqual([sealedAt, false])
    const page = { url, max_chars: 100, live: false }
    expect((await backend.answer('fetch', page)).answer.body.content).toBe('ships of 2020')
    for (const asked of [
      { ...page, live: true },
      { ...page, query_time: '2021-12-31' },
    ])
      await expect(backend.answer('fetch', asked)).rejects.toMatchObject({ kind: 'invalid_request' })
    expect((await backend.answer('search', ships)).answer.body.results).toHaveLength(1)
    await folder.close()
    await holder.close()
  })

  it('rejects the call if it can not be opened, and tries again at the next call', async () => {
    let tries = 0
    const folder = new LastingFolder(
      async () => {
        tries += 1
        if (tries === 1) throw new Error('not now')
        return open()
      },
      { now: Date.now },
    )
    await expect(folder.backend.answer('search', ships)).rejects.toThrow('not now')
    expect((await folder.backend.answer('search', ships)).answer.body.results).toEqual([])
    await folder.close()
  })
})
