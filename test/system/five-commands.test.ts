import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { open } from '../../core/index.ts'
import { casesOf } from '../cases.ts'
import { RunningCommand } from './running-command.ts'

const COMMANDS = 5
const ROUNDS = Math.max(2, casesOf(4))
const roots: string[] = []

afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true, force: true })
})

it('five commands that start at once on a free data folder all succeed, and none of their pages is lost', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const root = await mkdtemp(path.join(tmpdir(), 'asof-five-'))
    roots.push(root)
    const data = path.join(root, 'data')
    const files = Array.from({ length: COMMANDS }, (_, i) => path.join(root, `${i}.jsonl`))
    for (const [i, file] of files.entries())
      await writeFile(file, `${JSON.stringify({ url: `https://a.example/${i}`, title: 'tide', text: `page ${i}` })}\n`)
    const commands = files.map(file => new RunningCommand(['import', file, '--data', data]))
    const finished = await Promise.all(commands.map(command => command.finished))
    expect(finished.map(({ code, stderr }) => (code === 0 ? 'done' : stderr))).toEqual(files.map(() => 'done'))
    const engine = await open(data, { create: false })
    try {
      expect((await engine.search('tide', { maxResults: 10 })).results.map(({ url }) => url).sort()).toEqual(
        files.map((_, i) => `https://a.example/${i}`),
      )
    } finally {
      await engine.close()
    }
  }
}, 300_000)
