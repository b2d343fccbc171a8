/**
 * Named steps of writing to disk. A test can end the process or let the step fail at each. Only tests set the hook, in a module that is
 * loaded before this one (`node --import`, which worker threads inherit).
 */
const hook = (globalThis as { [key: symbol]: unknown })[Symbol.for('asof.failpoint')]
const reached = typeof hook === 'function' ? (hook as (step: string) => void) : undefined

/** Marks a step, named `operation-number-what`. Costs one comparison. */
export function failpoint(step: string): void {
  reached?.(step)
}
