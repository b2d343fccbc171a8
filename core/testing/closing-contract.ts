import { type ContractIt, listed, page, rejectsWith, testUrl } from './test-engines.ts'

export function closingContract(it: ContractIt): void {
  it('can be called more than once', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    await Promise.all([engine.close(), engine.close()])
    await engine.close()
  })

  it('is what `await using` does at the end of its block', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    // V8 does not dispose of an engine behind a proxy that binds its methods, so the method is called here.
    await engine[Symbol.asyncDispose]()
    await rejectsWith('ASOF_CLOSED', () => engine.search('fox'))
  })

  it('makes every later call reject with ASOF_CLOSED', async engines => {
    const engine = await engines.openWith(page('a', 'red fox'))
    await engine.close()
    const calls: (() => Promise<unknown>)[] = [
      () => engine.add([page('b', 'red panda')]),
      () => engine.search('fox'),
      () => engine.check('fox'),
      () => engine.suggest('fox'),
      () => engine.page(testUrl('a')),
      () => engine.history(testUrl('a')),
      () => engine.timeline(testUrl('a')),
      () => engine.verify({ url: testUrl('a'), quote: 'fox' }),
      () => engine.export(),
      () => listed(engine.versions(testUrl('a'))),
      () => listed(engine.exportAll()),
      () => engine.markSeen(testUrl('a')),
      () => engine.remove(testUrl('a')),
      () => engine.purge(testUrl('a')),
      () => engine.stats(),
      () => engine.captureHistogram(),
      () => engine.fields(),
      () => engine.relevance(),
      () => engine.setRelevance({}),
    ]
    for (const call of calls) await rejectsWith('ASOF_CLOSED', call)
  })
}
