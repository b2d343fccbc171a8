/**
 * Compares answers with the golden ones, in whatever Node, locale and time zone it runs. Prints what it ran in and the blocks that
 * differ, as JSON. Run: `node test/core/golden/check-golden.ts [--write] [--every 10]`. With `--write` the index is not the frozen one, but
 * written anew.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { blockHash, goldenFile, goldenFolder, goldenScale, openWorld } from './answers.ts'
import { writeWorld } from './world.ts'

const { values } = parseArgs({ options: { write: { type: 'boolean' }, every: { type: 'string', default: '1' } } })
const { blocks } = JSON.parse(readFileSync(goldenFile, 'utf8')) as { blocks: string[] }
const dir = mkdtempSync(join(tmpdir(), 'asof-golden-'))
try {
  if (values.write) await writeWorld(dir, goldenScale)
  else cpSync(goldenFolder, dir, { recursive: true })
  const engine = await openWorld(dir, goldenScale)
  const differ: number[] = []
  let checked = 0
  for (let block = 0; block < blocks.length; block += Number(values.every)) {
    checked++
    if ((await blockHash(engine, block, goldenScale)) !== blocks[block]) differ.push(block)
  }
  await engine.close()
  const { node, icu, unicode } = process.versions
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
  console.log(JSON.stringify({ node, icu, unicode, locale, timeZone, checked, differ }))
} finally {
  rmSync(dir, { recursive: true })
}
