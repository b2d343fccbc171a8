import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type Engine, open } from '../../core/index.ts'
import { exportJsonl } from '../../crawler/export-jsonl.ts'
import { importJsonl } from '../../crawler/import-jsonl.ts'

const linesOf = async (engine: Engine): Promise<string[]> => {
  const lines: string[] = []
  for await (const line of exportJsonl(engine)) lines.push(line)
  return lines
}

it('JSON lines give the same histories back when they are imported', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'asof-jsonl-export-'))
  const before = await open(join(dir, 'before'))
  const after = await open(join(dir, 'after'))
  await before.add([
    { url: 'https://a.org/', markdown: '# One\n\n“Quoted”.', title: 'One', author: 'A', acquiredAt: 1000 },
    { url: 'https://a.org/', markdown: '# Two', title: 'Two', publishedAt: 1500, acquiredAt: 2000 },
    { url: 'https://b.org/', markdown: 'Plain', title: 'Three', description: 'D', acquiredAt: 3000 },
  ])
  const lines = await linesOf(before)
  expect(lines.map(line => JSON.parse(line).title)).toEqual(['One', 'Two', 'Three'])
  const report = await importJsonl(after, Readable.from(lines.map(line => Buffer.from(line))))
  expect(report).toMatchObject({ read: 3, added: 3, failed: 0 })
  expect(await linesOf(after)).toEqual(lines)
  await before.close()
  await after.close()
  await rm(dir, { recursive: true })
})
