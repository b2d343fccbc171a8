import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { SearchReply } from '../../../core/scheduling/search-worker.ts'

/** The search worker, but that it ends before it answers `die`, and before it answers `stumble` for the first time. */
const port = parentPort
if (!port) throw new TypeError('dying-worker.ts runs as a worker thread')
const stumbled = `${workerData.location}-stumbled`
const post = port.postMessage.bind(port)
port.postMessage = (reply: SearchReply) => {
  const query = typeof reply === 'object' && 'answer' in reply ? reply.answer.query : ''
  if (query.includes('die')) process.exit(1)
  if (query.includes('stumble') && !existsSync(stumbled)) {
    writeFileSync(stumbled, '')
    process.exit(1)
  }
  post(reply)
}
await import('../../../core/scheduling/search-worker.ts')
