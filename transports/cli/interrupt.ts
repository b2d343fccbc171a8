/**
 * The signal of an operator who wants to stop: the first Ctrl-C (or SIGTERM) aborts it, so that the batch in hand is
 * finished; a second one ends the process at once.
 */
export function onInterrupt(notice: (line: string) => void): AbortSignal {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(1)
    notice('finishing what is in hand, then stopping; again to stop at once')
    controller.abort()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return controller.signal
}
