/** Writes to a cluster until it is killed, as `death-script.ts` says, and prints the number of each addition that is acknowledged. */
import { openCluster } from '../../cluster/index.ts'
import { isAsofError } from '../../core/index.ts'
import { additionOf, removalAfter } from './death-script.ts'

const [options = '{}', writer = 'a', from = '0'] = process.argv.slice(2)

/** Repeats what fails because a server died, as a client would. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!isAsofError(error)) throw error
      process.stdout.write(`error ${error.code}\n`)
    }
}

const engine = await untilDone(() => openCluster(JSON.parse(options)))
process.stdout.write('open\n')
for (let number = Number(from); ; number++) {
  const { failures } = await untilDone(() => engine.add(additionOf(writer, number)))
  if (failures.length > 0) throw new Error(failures[0]?.message)
  process.stdout.write(`done ${number}\n`)
  const url = removalAfter(number)
  if (url) await untilDone(() => engine.remove(url))
}
