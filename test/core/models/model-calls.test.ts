import { describe, expect, it } from 'vitest'
import { ModelCalls } from '../../../core/models/model-calls.ts'

const fails = () => Promise.reject(new Error('out of order'))
const never = () => new Promise<never>(() => {})

function calls(options: { timeoutMs?: number | 'none'; closing?: AbortSignal } = {}) {
  const clock = { ms: 0 }
  const made = new ModelCalls({
    name: 'the model',
    timeoutMs: options.timeoutMs === 'none' ? undefined : (options.timeoutMs ?? 60_000),
    closing: options.closing ?? new AbortController().signal,
    elapsedMs: () => clock.ms,
  })
  return { made, clock }
}

describe('calls of a model', () => {
  it('pause after a failure for one second, then two, up to a minute, until a call succeeds', async () => {
    const { made, clock } = calls()
    let asked = 0
    const failing = () => {
      asked++
      return fails()
    }
    for (const restMs of [1, 2, 4, 8, 16, 32, 60, 60].map(s => s * 1000)) {
      const before = asked
      await expect(made.run(failing)).rejects.toThrow('the model failed: out of order')
      expect(asked).toBe(before + 1)
      clock.ms += restMs - 1
      await expect(made.run(failing)).rejects.toMatchObject({ code: 'ASOF_MODEL_FAILED' })
      expect(asked).toBe(before + 1)
      clock.ms += 1
    }
    expect(await made.run(async () => 'answer')).toBe('answer')
    await expect(made.run(failing)).rejects.toThrow()
    clock.ms += 1000
    expect(await made.run(async () => 'answer')).toBe('answer')
  })

  it('have no timeout if none is given, and end when the engine closes', async () => {
    const closing = new AbortController()
    const { made } = calls({ timeoutMs: 'none', closing: closing.signal })
    expect(await made.run(async () => 'answer')).toBe('answer')
    await expect(made.run(fails)).rejects.toThrow('the model failed: out of order')
    const other = calls({ timeoutMs: 'none', closing: closing.signal })
    const waiting = expect(other.made.run(never)).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    closing.abort()
    await waiting
  })

  it('time out, even if the model ignores the abort signal', async () => {
    const { made } = calls({ timeoutMs: 5 })
    let heard: AbortSignal | undefined
    const slow = (signal: AbortSignal) => {
      heard = signal
      return never()
    }
    await expect(made.run(slow)).rejects.toThrow('the model failed: did not answer within 0.005 s')
    expect(heard?.aborted).toBe(true)
  })

  it('end when the engine closes', async () => {
    const closing = new AbortController()
    const { made } = calls({ closing: closing.signal })
    const call = made.run(never)
    closing.abort()
    await expect(call).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })
})
