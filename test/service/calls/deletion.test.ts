import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { deletePages, deletionRequest } from '../../../service/index.ts'

let engine: Engine
beforeEach(async () => {
  engine = await open(':memory:')
  // More than one round.
  await engine.add(Array.from({ length: 300 }, (_, i) => ({ url: `https://shop.example/${i}`, text: `lamp ${i}` })))
})
afterEach(async () => {
  await engine.close()
})

const request = deletionRequest.parse({ site: 'shop.example' })

describe('the deletion of pages', () => {
  it.each(['remove', 'purge'] as const)(
    'stops after a round when its time is up, and %s deletes the rest',
    async op => {
      const controller = new AbortController()
      const slow: Pick<Engine, 'removeAll' | 'purgeAll'> = {
        removeAll: (selection, options) =>
          engine.removeAll(selection, { ...options, onProgress: () => controller.abort() }),
        purgeAll: (selection, options) =>
          engine.purgeAll(selection, { ...options, onProgress: () => controller.abort() }),
      }
      const first = await deletePages(slow, op, request, controller.signal)
      expect(first).toMatchObject({ finished: false })
      expect(first.pages).toBeGreaterThan(0)
      expect(first.pages).toBeLessThan(300)
      const rest = await deletePages(engine, op, request, new AbortController().signal)
      expect(rest).toMatchObject({ pages: 300 - first.pages, finished: true })
      expect((await engine.search('lamp')).results).toEqual([])
    },
  )

  it('deletes nothing when its caller is gone', async () => {
    expect(await deletePages(engine, 'purge', request, AbortSignal.abort())).toMatchObject({
      pages: 0,
      finished: false,
    })
    expect((await engine.stats()).urls).toBe(300)
  })

  it('refuses a request that selects nothing, or has a wrong value, and names the field', async () => {
    const { signal } = new AbortController()
    for (const [given, path] of [
      [{}, ''],
      [{ dry_run: true }, ''],
      [{ site: 'a b' }, 'site'],
      [{ urls: ['https://shop.example/1'], at: '2025-01-01' }, 'at'],
    ] as const)
      await expect(deletePages(engine, 'purge', deletionRequest.parse(given), signal)).rejects.toMatchObject({
        kind: 'invalid_request',
        details: [{ path }],
      })
    expect((await engine.stats()).urls).toBe(300)
  })
})
