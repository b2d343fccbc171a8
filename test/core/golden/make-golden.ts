/**
 * Writes `world-v1/`, the frozen index, and `answers-v1.json`, the hashes of its answers. It is run once, when format, analyzer and
 * ranking 1 are fixed. Run: `npx node test/core/golden/make-golden.ts`. It does not overwrite files.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { BLOCK, blockHash, goldenFile, goldenFolder, goldenScale, openWorld, QUESTIONS } from './answers.ts'
import { writeWorld } from './world.ts'

if (existsSync(goldenFolder)) throw new TypeError('world-v1 exists: delete it first if the rules are not fixed yet')
const made = mkdtempSync(join(tmpdir(), 'asof-golden-'))
try {
  await writeWorld(made, goldenScale)
  // LevelDB's log of messages and lock, the cache of verified tables and the reserve are not part of the data.
  cpSync(made, goldenFolder, {
    recursive: true,
    filter: path => !['LOG', 'LOG.old', 'LOCK', 'TABLES', 'reserve.tmp'].includes(basename(path)),
  })
  const engine = await openWorld(made, goldenScale)
  const blocks: string[] = []
  for (let block = 0; block * BLOCK < QUESTIONS; block++) blocks.push(await blockHash(engine, block, goldenScale))
  console.log(await engine.stats())
  await engine.close()
  writeFileSync(goldenFile, `${JSON.stringify({ blocks }, null, 2)}\n`)
} finally {
  rmSync(made, { recursive: true })
}
const index = join(goldenFolder, 'index')
console.log(`${readdirSync(index).reduce((bytes, name) => bytes + statSync(join(index, name)).size, 0)} bytes`)
