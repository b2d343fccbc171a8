import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../core/index.ts'
import { play, START_AT, type Step } from '../history-script.ts'

// What a sealed engine answers is compared in time-travel.test.ts.
describe('a sealed engine', () => {
  it('answers the same on search threads', async () => {
    const steps: Step[] = [1, 2, 3].map(place => ({
      kind: 'add',
      at: START_AT + 10 * place,
      captures: [{ url: `https://a.example.com/${place}`, body: 'time', acquiredAt: undefined, said: 0, form: 0 }],
    }))
    const { engine, close } = await play(steps, { searchThreads: 1 })
    try {
      const sealed = engine.sealed(START_AT + 20)
      const answers = await Promise.all([sealed.search('time'), engine.search('time'), sealed.search('time')])
      expect(answers.map(({ results }) => results.length)).toEqual([2, 3, 2])
      expect(answers[0].receipt.instant).toBe(START_AT + 20)
    } finally {
      await close()
    }
  })

  it('refuses to write and to copy, and stays as it is when it is closed', async () => {
    const { engine, close } = await play([])
    const sealed = engine.sealed(START_AT) as Engine
    const url = 'https://a.example.com/1'
    try {
      for (const call of [
        () => sealed.add([{ url, text: 'time' }]),
        () => sealed.setRelevance({}),
        () => sealed.markSeen(url),
        () => sealed.remove(url),
        () => sealed.purge(url),
        () => sealed.removeAll({ urls: [url] }),
        () => sealed.purgeAll({ urls: [url] }),
        () => sealed.embed(),
        () => sealed.backup('/nowhere'),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'ASOF_SEALED', statusCode: 403 })
      await sealed.close()
      await expect(sealed.search('time')).resolves.toMatchObject({ results: [] })
    } finally {
      await close()
    }
    await expect(sealed.search('time')).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })

  it('is not sealed at an instant in the future, or at one after its own seal', async () => {
    const { engine, close } = await play([], { endAt: START_AT })
    try {
      for (const seal of [
        () => engine.sealed(START_AT + 1),
        () => engine.sealed('soon'),
        () => engine.sealed(START_AT - 10).sealed(START_AT - 9),
      ])
        expect(seal).toThrow(
          expect.objectContaining({ code: 'ASOF_INVALID_TIME', details: expect.objectContaining({ field: 'at' }) }),
        )
    } finally {
      await close()
    }
  })
})
