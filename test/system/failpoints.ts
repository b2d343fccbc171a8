import { writeSync } from 'node:fs'

/**
 * Acts at the steps that the engine marks with `failpoint`. Loaded first with `node --import`, also in worker threads.
 * `ASOF_TEST_STEPS` lists entries `step:pass:action`. The action is `kill` (SIGKILL) or `fail` (the step throws, as on a full
 * disk). Each thread counts its own passes. Prints `step NAME` before it acts.
 */
const plans = (process.env.ASOF_TEST_STEPS ?? '')
  .split(',')
  .filter(text => text !== '')
  .map(text => {
    const [step, pass, action] = text.split(':')
    return { step, passesLeft: Number(pass), action }
  })

function reached(step: string): void {
  for (const plan of plans) {
    if (plan.step !== step || --plan.passesLeft !== 0) continue
    writeSync(1, `step ${step}\n`)
    if (plan.action === 'kill') process.kill(process.pid, 'SIGKILL')
    throw new Error(`no space left on device, says the test at ${step}`)
  }
}

Object.assign(globalThis, { [Symbol.for('asof.failpoint')]: reached })
