import { AsofError } from '../errors/errors.ts'
import { isError } from '../errors/thrown.ts'

/**
 * Returns the error for a worker thread or child process that cannot start.
 *
 * @param cause - the error of the system or of the loaded module, if there is one.
 */
export function workerFailure(what: 'thread' | 'process', cause: unknown): AsofError {
  const reason = isError(cause) ? `: ${cause.message}` : ''
  return new AsofError('ASOF_WORKER_FAILED', `a ${what} of asof could not be started${reason}`, { cause })
}

/**
 * Starts a thread or process.
 *
 * @throws ASOF_WORKER_FAILED - Node refuses to start it, for example because of its permission model.
 */
export function startWorker<Worker>(what: 'thread' | 'process', start: () => Worker): Worker {
  try {
    return start()
  } catch (cause) {
    throw workerFailure(what, cause)
  }
}
