import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../../core/index.ts'
import { WIDTH } from '../../../../transports/cli/output/wrapped-text.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-import-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

const run = (...args: string[]) =>
  buildProgram().parseAsync(['import', '--data', join(dir, 'data'), ...args], { from: 'user' })
async function file(name: string, text: string): Promise<string> {
  await writeFile(join(dir, name), text)
  return join(dir, name)
}

describe('asof import', () => {
  it.each([
    ['broken.warc', 'This is no archive.', 'WARC'],
    ['broken.warc.gz', 'This is no archive.', ''],
    ['broken.csv', 'one;two\nthree;four\n', ''],
    ['broken.json', '{', ''],
    ['broken.wacz', 'PK', ''],
  ])('imports the other files if %s is not what its name says, and names it', async (name, text, why) => {
    const broken = await file(name, text)
    const before = await file('before.jsonl', '{"url": "https://a.org/1", "text": "First page"}\n')
    const after = await file('after.jsonl', '{"url": "https://a.org/2", "text": "Second page"}\n')
    await run(before, broken, after, '--json')
    expect(JSON.parse(output.stdout)).toMatchObject({ added: 2, failed: 1 })
    expect(process.exitCode).toBe(1)
    expect(output.stderr).toContain(`${broken}: `)
    expect(output.stderr).toContain(why)
    const engine = await open(join(dir, 'data'))
    expect((await engine.stats()).urls).toBe(2)
    await engine.close()
  })
  it('ends with counts in lines of 80 columns', async () => {
    const lines = Array.from({ length: 3 }, (_, n) => ({ url: `https://a.org/${n}`, text: n === 0 ? '' : 'A \ufffd' }))
    const removed = [{ url: 'https://a.org/1', removed_at: '2020-01-01' }, { url: 'nothing' }]
    const dated = { url: 'https://a.org/9', text: 'Dated', acquired_at: '2020-01-01', published_at: '2021-01-01' }
    await run(await file('a.jsonl', [...lines, ...removed, dated].map(line => JSON.stringify(line)).join('\n')))
    expect(output.stdout).toMatch(/^6 read, .*failed.*dropped or cut/s)
    for (const line of output.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(WIDTH)
  })
})
