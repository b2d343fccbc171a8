import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JobStore } from '../../../service/crawl-jobs/job-store.ts'
import { crawlJobsDir } from '../../../service/data-folder/data-folder.ts'
import {
  type DataFolder,
  type DataFolderOptions,
  type FolderPart,
  type LocalDataFolder,
  type OpenedPart,
  openDataFolder,
  reachDataFolder,
} from '../../../service/data-folder/index.ts'
import { createService } from '../../../service/index.ts'
import { JournalRecords } from '../../../service/records/journal-records.ts'
import { createServer, listen, shutDown } from '../../../transports/http/index.ts'
import { addCustomer } from '../accounts/accounts.ts'
import { jobOf } from '../crawl-jobs/job-contract.ts'

let dir: string
let closing: (() => Promise<unknown>)[]
beforeEach(async () => {
  dir = path.join(await mkdtemp(path.join(tmpdir(), 'asof-data-folder-')), 'data')
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  await rm(path.dirname(dir), { recursive: true, force: true })
})

async function opened<Folder extends DataFolder>(folder: Promise<Folder>): Promise<Folder> {
  const { close } = await folder
  closing.push(close)
  return folder
}

async function served(folder: LocalDataFolder): Promise<string> {
  const { engine, readLive, checkLiveUrl, reader, journal } = folder
  const service = createService(engine, readLive, { checkLiveUrl, reader, journal })
  const app = createServer(service, { engine, access: await folder.access(), crawls: folder.crawls })
  closing.push(() => shutDown(app))
  return await listen(app, { host: '127.0.0.1', port: 0 })
}

const tea = { url: 'https://example.com/tea', title: 'Tea', text: 'Green tea, brewed at home.' }

describe('openDataFolder', () => {
  it('rejects `:memory:`, because accounts and payments need a folder', async () => {
    for (const opens of [openDataFolder, reachDataFolder])
      await expect(opens(':memory:')).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION', details: { field: 'dir' } })
    expect(existsSync(':memory:')).toBe(false)
  })

  it('deletes the crawl jobs that expired while no process had the folder, once it is open', async () => {
    const job = jobOf('a')
    const jobs = await JobStore.open(await JournalRecords.open(crawlJobsDir(dir)))
    await jobs.make(job, { running: 1, pages: 10, pagesPerDay: 10, keepMs: 1 })
    await jobs.close()
    let now = job.expiresAt
    const { crawlJobs } = await opened(openDataFolder(dir, { now: () => now }))
    now = job.madeAt
    // At this time the job would still be listed.
    await expect.poll(async () => (await crawlJobs.list({ organization: job.organization })).crawls).toEqual([])
  })

  it('opens a folder that is served over HTTP with accounts and feedback', async () => {
    const folder = await opened(openDataFolder(dir))
    await folder.engine.add([tea])
    const { key } = await addCustomer(await folder.access())
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const url = await served(folder)
    const search = await fetch(`${url}/v1/search?query=tea`, { headers })
    expect([search.status, await search.json()]).toMatchObject([200, { results: [{ title: 'Tea' }] }])
    const body = JSON.stringify({ query: 'tea', feedback: { [tea.url]: 4 } })
    const feedback = await fetch(`${url}/v1/feedback`, { method: 'POST', headers, body })
    expect(feedback.status).toBe(200)
    const judgments: number[] = []
    await folder.exportFeedback(part => void judgments.push(part.judgments))
    expect(judgments).toEqual([1])
  })

  it('is refused while a process that shares the folder holds it, and names that process and its address', async () => {
    const folder = await opened(openDataFolder(dir))
    const { pid } = process
    await expect(openDataFolder(dir)).rejects.toMatchObject({
      code: 'ASOF_STORE_LOCKED',
      message: `${dir} is in use by process ${pid}: stop that process first`,
      details: { pid },
    })
    const address = 'http://127.0.0.1:8787'
    folder.announce(address)
    await expect(openDataFolder(dir)).rejects.toMatchObject({
      message: `${dir} is in use by process ${pid}, which serves it at ${address}: stop that process first`,
      details: { pid, address },
    })
  })

  it('is refused within seconds while a process holds the folder and hangs', async () => {
    await opened(openDataFolder(dir, { share: false }))
    const hung = createSocketServer().listen(path.join(dir, 'asof.sock'))
    await once(hung, 'listening')
    const connections = new Set<Socket>()
    hung.on('connection', socket => connections.add(socket))
    try {
      await expect(openDataFolder(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    } finally {
      for (const socket of connections) socket.destroy()
      hung.close()
    }
  })

  it('reports a missing folder instead of creating it if create is false', async () => {
    await expect(openDataFolder(dir, { create: false })).rejects.toMatchObject({ code: 'ASOF_STORE_MISSING' })
    expect(existsSync(dir)).toBe(false)
  })

  it('rejects unknown options and options of another type', async () => {
    const wrong: [options: object, message: string][] = [
      [{ refetched: true }, 'unknown option refetched; did you mean refetch?'],
      [{ share: 'yes' }, "share must be true or false, not 'yes'"],
    ]
    for (const [options, message] of wrong) {
      const refusal = { code: 'ASOF_INVALID_OPTION', message: message.replaceAll("'", '"') }
      await expect(openDataFolder(dir, options as DataFolderOptions)).rejects.toMatchObject(refusal)
    }
    expect(existsSync(dir)).toBe(false)
  })
})

describe('reachDataFolder', () => {
  it('uses a shared folder through the socket of its holder, and opens it when the holder has closed it', async () => {
    const holder = await openDataFolder(dir)
    const folder = await opened(reachDataFolder(dir))
    await folder.engine.add([tea])
    expect(await holder.engine.markSeen(tea.url)).toBe(true)
    const { id } = (await folder.administer('org.create', { name: 'Acme' }, 'tests')) as { id: string }
    await holder.close()
    expect((await folder.engine.search('tea')).results).toMatchObject([{ url: tea.url }])
    expect(await folder.administer('org.list', {}, 'tests')).toMatchObject([{ id, name: 'Acme' }])
  })
})

/** A part that keeps nothing, with changes. */
const partWith = (changes: Partial<OpenedPart> = {}): FolderPart => ({
  open: () => ({ operations: {}, ledgers: async () => [], close: async () => {}, ...changes }),
})

describe('the parts of a data folder', () => {
  const failure = new Error('the part failed')
  const failing: FolderPart = {
    open: () => {
      throw failure
    },
  }

  it.each([
    ['something other than a part', [undefined], 'parts[0]'],
    ['a part without open', [partWith(), {}], 'parts[1]'],
    ['the same part twice', Array(2).fill(partWith()), 'parts'],
    ['two operations of one name', [1, 2].map(() => partWith({ operations: { count: async () => 1 } })), 'parts'],
  ])('are refused with %s, and the folder is left closed', async (_, parts, field) => {
    await expect(openDataFolder(dir, { parts })).rejects.toMatchObject({
      code: 'ASOF_INVALID_OPTION',
      details: { field },
    })
    await opened(openDataFolder(dir))
  })

  it('are closed, and the folder with them, if one of them cannot be opened', async () => {
    let closes = 0
    const first = partWith({ close: async () => void closes++ })
    await expect(openDataFolder(dir, { parts: [first, failing] })).rejects.toBe(failure)
    expect(closes).toBe(1)
    await opened(openDataFolder(dir))
  })

  it('are closed, and the folder with them, if one of them cannot be closed', async () => {
    let closes = 0
    const others = [1, 2].map(() => partWith({ close: async () => void closes++ }))
    const stuck = partWith({ close: () => Promise.reject(failure) })
    const folder = await openDataFolder(dir, {
      parts: [others[0], stuck, others[1]].filter(part => part !== undefined),
    })
    await expect(folder.close()).rejects.toBe(failure)
    expect(closes).toBe(2)
    await opened(openDataFolder(dir))
  })

  it.each(['none', '__proto__', 'constructor', 'toString'])('have no operation %s', async name => {
    const parts = [partWith({ operations: { count: async () => 1 } })]
    await opened(openDataFolder(dir, { parts }))
    const remote = await opened(reachDataFolder(dir))
    await expect(remote.operate(name, [])).rejects.toThrow(`has the operation ${name}`)
    expect(await remote.operate('count', [])).toBe(1)
  })

  it('fail a backup that would leave out sales because none of them has opened the sales', async () => {
    const folder = await opened(openDataFolder(dir, { parts: [partWith()] }))
    await mkdir(path.join(dir, 'payments'))
    await expect(folder.backup(`${dir}-copy`, {})).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
    expect(existsSync(`${dir}-copy`)).toBe(false)
  })
})
