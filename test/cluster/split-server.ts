/** A server of a cluster on the other side of a split. It reads calls, one JSON a line, and prints for each what became of it. */
import { createInterface } from 'node:readline'
import { openCluster } from '../../cluster/index.ts'
import { isAsofError } from '../../core/index.ts'

const engine = await openCluster(JSON.parse(process.argv[2] ?? '{}'))
process.stdout.write('{"open":true}\n')
for await (const line of createInterface({ input: process.stdin })) {
  const { call, args } = JSON.parse(line) as { call: 'search' | 'add' | 'page'; args: [never] }
  const started = performance.now()
  const print = (became: object): void =>
    void process.stdout.write(`${JSON.stringify({ ...became, ms: performance.now() - started })}\n`)
  try {
    print({ answer: (await engine[call](...args)) ?? null })
  } catch (error) {
    if (!isAsofError(error)) throw error
    print({ code: error.code, message: error.message })
  }
}
