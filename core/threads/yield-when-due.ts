import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Time after which a chain of calls yields to the event loop, milliseconds. */
const TURN_MS = 10

let turnFrom = performance.now()

/**
 * Yields to the event loop if this function has not done so for some milliseconds. To be awaited in calls that return a promise but never
 * wait for anything: without it, a loop over such calls would keep timers and other work of the thread waiting until it ends.
 */
export async function yieldWhenDue(): Promise<void> {
  if (performance.now() - turnFrom < TURN_MS) return
  await yieldToEventLoop()
  turnFrom = performance.now()
}
