import { writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from '../../core/engine/open.ts'
import { isAsofError } from '../../extract/errors/errors.ts'
import { inputOf, instantOf, type Operation, roundOf } from './kill-nine-script.ts'

/**
 * Writes tiny rounds to an index until it is killed. Prints `opening`, then a line `round operation` for each acknowledged
 * operation. Retries failed writes, as callers do.
 * Arguments: folder, seed, first round, number of rounds, rounds of retention (0: none), rounds between backups (0: none).
 */
const [dir, seed, firstRound, rounds, retained, backupEvery] = process.argv.slice(2)
const end = Number(firstRound) + Number(rounds)
let round = Number(firstRound)
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
writeSync(1, 'opening\n')
const engine = await open(dir!, {
  now: () => instantOf(round),
  searchThreads: 0,
  // Merges often: every four segments, and each segment with purged captures.
  mergePolicy: segments =>
    segments.length >= 4 || segments.some(({ purged }) => purged > 0) ? segments.map(({ id }) => id) : [],
  // A caller learns of its own failed writes; this warning may be about a write of a merge.
  onWarning: () => {},
  retain: retained === '0' ? undefined : instantOf(Number(retained)) - instantOf(0),
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
        const { failures } = await engine.add(operation.captures.map(capture => inputOf(capture)))
        if (failures.length > 0) throw new Error(failures[0]!.message)
      }
      return
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_WRITE')) throw error
      await sleep(1)
    }
}
