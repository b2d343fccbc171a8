import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { SearchAnswer } from '../../../core/search/search-answer.ts'
import type { ChannelMessage } from '../../../extract/processes/request-channel.ts'

/** The search worker, except that it ends before it answers `die` or has collected titles, and before it answers `stumble` for the first time. */
const port = parentPort
if (!port) throw new TypeError('dying-worker.ts runs as a worker thread')
const stumbled = `${workerData.location}-stumbled`
const post = port.postMessage.bind(port)
port.postMessage = (message: ChannelMessage) => {
  const query = ('result' in message && (message.result as SearchAnswer | undefined)?.query) || ''
  const isTitles = 'result' in message && typeof message.result === 'object' && 'entryEnds' in (message.result ?? {})
  if (query.includes('die') || isTitles) process.exit(1)
  if (query.includes('stumble') && !existsSync(stumbled)) {
    writeFileSync(stumbled, '')
    process.exit(1)
  }
  post(message)
}
await import('../../../core/scheduling/search-worker.ts')
