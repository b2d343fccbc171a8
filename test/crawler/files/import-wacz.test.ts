import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WARCRecord, WARCSerializer } from 'warcio'
import { type Engine, open } from '../../../core/index.ts'
import { importWacz } from '../../../crawler/files/import-wacz.ts'
import { page } from '../site-server.ts'

let dir: string
let engine: Engine
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-wacz-'))
  engine = await open(':memory:')
})
afterEach(async () => {
  await engine.close()
  await rm(dir, { recursive: true })
})

/** Makes a ZIP archive whose files are stored without compression, as WACZ requires. */
function zip(files: Record<string, Buffer>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), content])
    const where = Buffer.alloc(14)
    where.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, where, Buffer.from(name)]))
    parts.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, entries, end])
}

async function warc(...numbers: number[]): Promise<Buffer> {
  const records = numbers.map(async n => {
    const record = WARCRecord.create(
      {
        url: `https://a.org/${n}`,
        date: `20${10 + n}-01-01T00:00:00Z`,
        type: 'response',
        statusline: 'HTTP/1.1 200 OK',
        httpHeaders: { 'content-type': 'text/html' },
      },
      [Buffer.from(page(`Number ${n}`))],
    )
    return gzipSync(await WARCSerializer.serialize(record))
  })
  return Buffer.concat(await Promise.all(records))
}

const wacz = async (files: Record<string, Buffer>) => {
  const file = join(dir, 'a.wacz')
  await writeFile(file, zip(files))
  return file
}

describe('importing a WACZ file', () => {
  it('imports the pages of all its WARC files, with their dates', async () => {
    const file = await wacz({
      'datapackage.json': Buffer.from('{}'),
      'archive/one.warc.gz': await warc(1, 2),
      'archive/two.warc.gz': await warc(3),
      'pages/x.warc.gz': Buffer.from('not in archive/'),
    })
    const seen: number[] = []
    const report = await importWacz(engine, file, { onProgress: ({ read }) => seen.push(read) })
    expect(report).toMatchObject({ read: 3, added: 3, failed: 0 })
    expect(seen).toEqual([2, 3])
    expect((await engine.page('https://a.org/3'))?.acquiredAt).toBe(Date.UTC(2013, 0, 1))
  })
  it('continues inside the second WARC file if the option skip says so', async () => {
    const file = await wacz({ 'archive/1.warc.gz': await warc(1, 2), 'archive/2.warc.gz': await warc(3, 4) })
    expect(await importWacz(engine, file, { skip: 3 })).toMatchObject({ read: 4, skipped: 3, added: 1 })
    expect((await engine.page('https://a.org/4'))?.title).toBe('Number 4')
  })
  it('rejects a file that is not a ZIP archive, and one without WARC files', async () => {
    const broken = join(dir, 'broken.wacz')
    await writeFile(broken, 'no zip at all')
    const refused = { code: 'ASOF_INVALID_CAPTURE' }
    await expect(importWacz(engine, broken)).rejects.toMatchObject(refused)
    await expect(importWacz(engine, await wacz({ 'readme.txt': Buffer.from('x') }))).rejects.toMatchObject(refused)
  })
})
