/** Searches a cluster until it is killed, as of now and of random instants up to now, and prints each answer, one JSON a line. */
import { openCluster } from '../../cluster/index.ts'
import { isAsofError } from '../../core/index.ts'
import { queries } from './death-script.ts'

const [options = '{}', startAt = '0'] = process.argv.slice(2)

async function print(work: () => Promise<unknown>): Promise<void> {
  try {
    process.stdout.write(`${JSON.stringify(await work())}\n`)
  } catch (error) {
    if (!isAsofError(error)) throw error
    process.stdout.write(`${JSON.stringify({ error: error.code })}\n`)
  }
}

let engine: Awaited<ReturnType<typeof openCluster>> | undefined
let latest = Number(startAt)
await print(async () => {
  while (!engine)
    engine = await openCluster(JSON.parse(options)).catch((error: unknown) => {
      if (isAsofError(error)) return undefined
      throw error
    })
  return { open: true }
})
for (let n = 0; ; n++)
  await print(async () => {
    const query = queries[n % queries.length]!
    const early = Math.floor(Number(startAt) + Math.random() * (latest - Number(startAt)))
    const { results, receipt } = await engine!.search(query, n % 2 === 0 ? {} : { queryTime: early })
    latest = Math.max(latest, receipt.instant)
    return { query, instant: receipt.instant, captures: receipt.captures, results }
  })
