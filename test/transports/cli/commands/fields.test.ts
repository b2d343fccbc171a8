import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-fields-command-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

async function run(...args: string[]): Promise<string> {
  output.stdout = ''
  await buildProgram().parseAsync([...args, '--data', join(dir, 'data')], { from: 'user' })
  return output.stdout
}

it('lists the fields of the pages as of a time', async () => {
  const pages = join(dir, 'pages.jsonl')
  await writeFile(pages, '{"url": "https://a.example/", "text": "a lamp", "fields": {"price": 5, "tags": ["desk"]}}')
  await run('import', pages)
  expect(await run('fields')).toBe('price  number   1 page  5 (1)\ntags   keyword  1 page  desk (1)\n')
  expect(JSON.parse(await run('fields', '--max-examples', '0', '--json')).fields[0]).toEqual({
    name: 'price',
    type: 'number',
    pages: 1,
    examples: [],
  })
  expect(await run('fields', '--query-time', '2020-01-01')).toBe('no page has a field\n')
  await expect(run('fields', '--max-examples', '21')).rejects.toThrow(/max.examples/)
})
