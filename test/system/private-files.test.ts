import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const dir = await mkdtemp(join(tmpdir(), 'asof-private-files-'))
afterAll(() => rm(dir, { recursive: true }))
const main = join(import.meta.dirname, '../../transports/cli/main.ts')
const asof = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args], { cwd: dir })

/** Returns the files and folders in a folder that other users may read, write or enter. */
async function openToOthers(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const open: string[] = []
  for (const name of names) if ((await stat(join(folder, name))).mode & 0o077) open.push(name)
  return open
}

describe.skipIf(process.platform === 'win32')('files that commands create', () => {
  it('are accessible to their user alone: index, accounts, backups and exports, also after they were opened to others', async () => {
    const data = join(dir, 'data')
    await writeFile(join(dir, 'pages.jsonl'), `${JSON.stringify({ url: 'https://a.example/', text: 'a page' })}\n`)
    await asof('import', join(dir, 'pages.jsonl'), '--data', data)
    await asof('org', 'create', 'Example', '--data', data)
    await asof('feedback', 'export', '--data', data, '--out', join(data, 'judged.qrels'))
    await asof('payment', 'export', '--data', data, '--out', join(data, 'payments.jsonl'))
    await asof('backup', join(dir, 'copy'), '--data', data)
    expect(await readdir(data)).toEqual(expect.arrayContaining(['access', 'index', 'judged.qrels', 'payments.jsonl']))
    expect(await openToOthers(data)).toEqual([])
    expect(await openToOthers(join(dir, 'copy'))).toEqual([])

    await writeFile(join(data, 'asof.json'), '{}')
    await promisify(execFile)('chmod', ['-R', 'a+rX', data])
    const exported = (await readdir(data)).filter(name => /^(?:judged|payments\.jsonl)/.test(name))
    await Promise.all(exported.map(name => rm(join(data, name))))
    await asof('search', 'page', '--data', data)
    expect((await stat(data)).mode & 0o777).toBe(0o700)
    expect(await openToOthers(data)).toEqual([])
  })
})
