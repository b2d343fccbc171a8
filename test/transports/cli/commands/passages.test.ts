import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildProgram } from '../../../../transports/cli/program.ts'
import { useCommandOutput } from '../command-output.ts'

let dir: string
const output = useCommandOutput()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-passages-command-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

async function run(...args: string[]): Promise<string> {
  output.stdout = ''
  await buildProgram().parseAsync([...args, '--data', join(dir, 'data')], { from: 'user' })
  return output.stdout
}

it('prints passages as of a time, as text or as the answer of the API', async () => {
  const pages = join(dir, 'pages.jsonl')
  await writeFile(
    pages,
    '{"url": "https://a.example/", "title": "Lamps", "text": "A lamp for the desk.", "acquired_at": "2025-01-01"}',
  )
  await run('import', pages)
  expect(await run('passages', 'lamp', 'desk')).toMatch(
    /^1\. Lamps\n {3}https:\/\/a\.example\/\n.*\n\n {3}A lamp for the desk\.\n/,
  )
  const answer = JSON.parse(await run('passages', 'lamp', '--max-chars', '180', '--json'))
  expect(answer).toMatchObject({ passages: [{ text: 'A lamp for the desk.' }], chars: 20, receipt: { captures: 1 } })
  expect(await run('passages', 'lamp', '--query-time', '2024-01-01')).toContain('no passages')
  await expect(run('passages', 'lamp', '--max-chars', '10')).rejects.toThrow(/max.chars/)
})
