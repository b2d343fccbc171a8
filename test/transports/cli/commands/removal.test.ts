import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../../core/index.ts'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-removal-'))
  const engine = await open(join(dir, 'data'))
  await engine.add(
    ['a', 'b', 'c'].map(name => ({ url: `https://${name}.example/`, text: `lamp ${name}`, fields: { name } })),
  )
  await engine.close()
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

const run = (command: string, ...args: string[]) =>
  buildProgram().parseAsync([command, '--data', join(dir, 'data'), ...args], { from: 'user' })

async function pagesLeft(): Promise<number> {
  const engine = await open(join(dir, 'data'))
  const { results } = await engine.search('lamp')
  await engine.close()
  return results.length
}

describe('asof remove and asof purge', () => {
  it.each([
    ['remove', 'remove 3 pages'],
    ['purge', 'purge 3 versions of 3 pages'],
  ])('refuse a selection without a terminal and without --yes, with the number: %s', async (command, number) => {
    await writeFile(join(dir, 'gone.txt'), ['a', 'b', 'c'].map(name => `https://${name}.example/\n`).join(''))
    for (const flags of [
      ['--all'],
      ['--filter', '{"name":{"exists":true}}'],
      ['--urls', join(dir, 'gone.txt')],
      ['--all', '--json'],
    ])
      await expect(run(command, ...flags)).rejects.toMatchObject({
        name: 'UsageError',
        message: `nothing was deleted: this would ${number}; repeat the command with --yes if that is meant`,
      })
    expect(await pagesLeft()).toBe(3)
    await run(command, '--urls', join(dir, 'gone.txt'), '--yes')
    expect(await pagesLeft()).toBe(0)
  })

  it('delete a page that is named by its address without asking', async () => {
    await run('remove', 'https://a.example/')
    await run('purge', 'https://b.example/')
    expect(await pagesLeft()).toBe(1)
  })

  it('report that a selection has no pages without asking', async () => {
    await run('purge', '--site', 'none.example', '--json')
    expect(JSON.parse(output.stdout)).toMatchObject({ pages: 0, purged: 0, finished: true })
    expect(process.exitCode).toBe(1)
  })

  it.each([
    ['--site', 'example'],
    ['--filter', '{"not":{"nmae":"a"}}'],
    ['--filter', '{"name":{"prefix":""}}'],
    ['--prefix', ''],
  ])('refuse %s %s also with --yes', async (...flags) => {
    for (const command of ['remove', 'purge'])
      await expect(run(command, ...flags, '--yes')).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
    expect(await pagesLeft()).toBe(3)
  })

  it('take --all alone', async () => {
    for (const flags of [['https://a.example/'], ['--site', 'a.example'], ['--urls', 'gone.txt']])
      await expect(run('purge', '--all', '--yes', ...flags)).rejects.toMatchObject({ name: 'UsageError' })
    await run('purge', '--all', '--yes', '--json')
    expect(JSON.parse(output.stdout)).toMatchObject({ pages: 3, purged: 3, finished: true })
  })
})

describe('asof purge', () => {
  it.each([['https://a.example/'], ['https://a.example/', '--dry-run'], ['--urls', 'gone.txt']])(
    'rejects --at for the pages that %j names',
    async (...args) => {
      await expect(run('purge', '--at', '2025-01-01', ...args)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('--at goes with'),
      })
    },
  )
})
