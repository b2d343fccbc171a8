import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-relevance-command-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

async function run(...args: string[]): Promise<string> {
  output.stdout = ''
  await buildProgram().parseAsync([...args, '--data', join(dir, 'data')], { from: 'user' })
  return output.stdout
}

async function file(content: string): Promise<string> {
  const name = join(dir, 'relevance.json')
  await writeFile(name, content)
  return name
}

it('sets and shows the relevance of an index, which searches use', async () => {
  expect(
    await run('relevance', 'set', await file('{"synonyms": [["car", "auto"]], "stop_words": ["acme"]}')),
  ).toContain('holds since')
  const pages = join(dir, 'pages.jsonl')
  await writeFile(pages, '{"url": "https://a.example/", "text": "an auto"}')
  await run('import', pages)
  const { results } = JSON.parse(await run('search', 'car', '--mode', 'realtime', '--json'))
  expect(results).toHaveLength(1)
  const shown = JSON.parse(await run('relevance', 'show', '--json'))
  expect(shown.relevance).toEqual({ synonyms: [['car', 'auto']], stop_words: ['acme'] })
  expect(await run('relevance', 'show', '--query-time', '2020-01-01')).toBe('no relevance is set\n')
})

it.each([
  ['{"stop_words": ["two words"]}', /stopWords\[0\]|stop_words\[0\]/],
  ['{"synonym": []}', /synonyms/],
  ['{"stop_words": [', /is not JSON/],
])('rejects %s', async (content, message) => {
  await expect(run('relevance', 'set', await file(content))).rejects.toThrow(message)
})
