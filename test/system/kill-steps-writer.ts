import { writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAsofError } from '../../core/errors.ts'
import { open } from '../../core/open.ts'
import { inputOf, instantOf, type Operation, roundOf } from './kill-nine-script.ts'

/**
 * Writes tiny rounds to an index until it is killed: the line `opening` on stdout, and one `round operation` for each operation
 * acknowledged. A write that fails is tried again, as callers do.
 * Arguments: folder, seed, first round, rounds, rounds that captures are retained (0: all), rounds between backups (0: none).
 */
const [dir, seed, firstRound, rounds, retained, backupEvery] = process.argv.slice(2)
const end = Number(firstRound) + Number(rounds)
let round = Number(firstRound)
// A process that is killed leaves nothing compiled behind, unless it does so now.
flushCompileCache()
writeSync(1, 'opening\n')
const engine = await open(dir!, {
  now: () => instantOf(round),
  searchThreads: 0,
  // Merges all the time: every fourth segment, and whatever holds purged captures.
  mergePolicy: segments =>
    segments.length >= 4 || segments.some(({ purged }) => purged > 0) ? segments.map(({ id }) => id) : [],
  // A failing write is told to who asked for it; here it may also be that of a merge.
  onWarning: () => {},
  ...(retained !== '0' && { retain: instantOf(Number(retained)) - instantOf(0) }),
})
for (; round < end; round++) {
  await Promise.all(
    roundOf(Number(seed), round, 'tiny').map(async (operation, index) => {
      await acknowledged(operation)
      writeSync(1, `${round} ${index}\n`)
    }),
  )
  if (backupEvery === '0' || round % Number(backupEvery) !== 0) continue
  await rm(`${dir}.backup`, { recursive: true, force: true })
  await engine.backup(`${dir}.backup`)
}
await engine.close()

async function acknowledged(operation: Operation): Promise<void> {
  for (;;)
    try {
      if (operation.kind !== 'add') await engine[operation.kind](operation.url)
      else {
        const { failed } = await engine.add(operation.captures.map(capture => inputOf(capture)))
        if (failed.length > 0) throw failed[0]!.error
      }
      return
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_WRITE')) throw error
      await sleep(1)
    }
}
