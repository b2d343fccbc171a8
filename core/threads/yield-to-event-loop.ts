import { setImmediate } from 'node:timers/promises'

/** Lets waiting work of the event loop run first. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate()
}
