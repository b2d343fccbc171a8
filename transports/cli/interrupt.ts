/**
 * Returns a signal that the first Ctrl-C (or SIGTERM, or SIGHUP when the terminal closes) aborts, so that the command
 * finishes its current batch and stops. A second Ctrl-C or SIGTERM ends the process at once.
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
  // Both the shell and the system send it when a terminal closes, so a second one must not end the process. Nobody can read a
  // notice then.
  process.on('SIGHUP', () => controller.abort())
  return controller.signal
}
