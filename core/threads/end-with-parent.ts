import { Worker } from 'node:worker_threads'

/** The file descriptor of the pipe to the parent, after standard input, output, errors and the channel of messages. */
export const PARENT_PIPE = 4

/**
 * Watches the pipe in a thread, which works even while the main thread is busy with a page. A string and not a file, so
 * that a bundler has nothing to find.
 */
const watch = `
  const { Socket } = require('node:net')
  const end = () => process.kill(process.pid, 'SIGKILL')
  new Socket({ fd: ${PARENT_PIPE} }).on('error', end).on('close', end).resume()
`

/**
 * Ends this child process when its parent has ended, however that happened: the system then closes the pipe between them.
 * The parent must open {@link PARENT_PIPE}.
 */
export function endWithParent(): void {
  new Worker(watch, { eval: true, execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref()
}
