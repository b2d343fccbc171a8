import { setImmediate } from 'node:timers/promises'

/** Lets the event loop turn over once: whoever waits for it comes first. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate()
}
