import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { open } from '../../core/index.ts'
import { inputOf, instantOf, type Mode, roundOf } from './kill-nine-script.ts'

/**
 * Writes to an index until it is killed. Prints a line `round operation` for each acknowledged operation, and in mode `merges`
 * also `merging` and `merged` when a merge starts and ends.
 * Arguments: folder, seed, first round, mode.
 */
const [dir, seed, firstRound, mode] = process.argv.slice(2)
let round = Number(firstRound)
const mergePolicy = mode === 'merges' ? mergingAll : undefined
const engine = await open(dir!, { now: () => instantOf(round), mergePolicy })
// A killed process does not write its compile cache, so it is written now.
flushCompileCache()
writeSync(1, 'ready\n')
for (; ; round++) {
  const before = instantOf(round) - 1
  await Promise.all(
    roundOf(Number(seed), round, mode as Mode).map(async (operation, index) => {
      if (operation.kind === 'add') {
        const { added, failures } = await engine.add(operation.captures.map(capture => inputOf(capture)))
        if (failures.length > 0) throw new Error(failures[0]!.message)
        if (added !== operation.captures.length) throw new Error(`${added} of ${operation.captures.length} were added`)
      } else if (operation.kind === 'purge' || (await engine.page(operation.url, { queryTime: before }))) {
        // The removal of a page that the index does not have leaves nothing that could show whether it survived a kill. Asked
        // as of the last round: an answer as of now would move the stamps of this one.
        await engine[operation.kind](operation.url)
      }
      writeSync(1, `${round} ${index}\n`)
    }),
  )
}

/** Merges all segments into one whenever there are several. The engine calls this when no merge is running. */
function mergingAll(segments: readonly { id: number }[]): number[] {
  const chosen = segments.length < 3 ? [] : segments.map(({ id }) => id)
  writeSync(1, 'merged\n')
  if (chosen.length > 0) writeSync(1, 'merging\n')
  return chosen
}
