import { Worker } from 'node:worker_threads'

/** The file descriptor of the pipe to the parent process. 0 to 3 are the standard streams and the message channel. */
export const PARENT_PIPE = 4

/**
 * The code of a thread that watches the pipe, because the main thread may be busy with a page. It is a string so that
 * bundlers need not find a file.
 */
const watch = `
  const { Socket } = require('node:net')
  const end = () => process.kill(process.pid, 'SIGKILL')
  new Socket({ fd: ${PARENT_PIPE} }).on('error', end).on('close', end).resume()
`

/**
 * Ends this child process when its parent ends, even if the parent was killed: the system then closes the pipe. The
 * parent must have opened {@link PARENT_PIPE}.
 */
export function endWithParent(): void {
  new Worker(watch, { eval: true, execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref()
}
