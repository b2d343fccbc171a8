/**
 * Returns a signal that the first Ctrl-C (or SIGTERM) aborts, so that the command finishes its current batch and stops. A
 * second one ends the process at once.
 */
export function onInterrupt(notice: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(1)
    notice('finishing the current work, then stopping; press Ctrl-C again to stop at once')
    controller.abort()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return controller.signal
}
