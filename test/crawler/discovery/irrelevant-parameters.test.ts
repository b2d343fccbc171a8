import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IrrelevantParameters } from '../../../crawler/discovery/irrelevant-parameters.ts'
import { LevelFrontier } from '../../../crawler/frontier/level-frontier.ts'

let dir: string
let frontier: LevelFrontier
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-parameters-'))
  frontier = await LevelFrontier.open(dir)
})
afterEach(async () => {
  await frontier.close()
  await rm(dir, { recursive: true })
})

const learnSessions = async (parameters: IrrelevantParameters, pages: number, sessions: number) => {
  for (let page = 0; page < pages; page++)
    for (let session = 0; session < sessions; session++)
      await parameters.observe(`https://a.org/${page}?id=${page}&track=${session}`, `text ${page}`)
}

describe('irrelevant parameters', () => {
  it('are learned from pages with the same text, and stripped from then on, also after a reopen', async () => {
    const parameters = new IrrelevantParameters(frontier)
    await learnSessions(parameters, 4, 2)
    expect(await parameters.strip('https://a.org/9?track=7')).toBe('https://a.org/9?track=7')
    await learnSessions(parameters, 4, 4)
    expect(await parameters.strip('https://a.org/9?id=1&track=7')).toBe('https://a.org/9?id=1')
    expect(await parameters.strip('https://b.org/9?track=7')).toBe('https://b.org/9?track=7')
    expect(await new IrrelevantParameters(frontier).strip('https://a.org/9?id=1&track=7')).toBe('https://a.org/9?id=1')
  })
  it('do not include a parameter for which one pair of texts differed', async () => {
    const parameters = new IrrelevantParameters(frontier)
    await parameters.observe('https://a.org/0?track=a', 'one')
    await parameters.observe('https://a.org/0?track=b', 'another')
    await learnSessions(parameters, 10, 10)
    expect(await parameters.strip('https://a.org/0?track=7')).toBe('https://a.org/0?track=7')
  })
  it('are not learned from one page with the same text for a few values, nor from visits of one URL', async () => {
    const parameters = new IrrelevantParameters(frontier)
    for (let id = 0; id < 20; id++) await parameters.observe(`https://a.org/show?id=${id}`, 'no such record')
    for (let visit = 0; visit < 100; visit++) await parameters.observe('https://a.org/?q=1', 'the same')
    expect(await parameters.strip('https://a.org/show?id=99')).toBe('https://a.org/show?id=99')
    expect(await parameters.strip('https://a.org/?q=2')).toBe('https://a.org/?q=2')
    for (let id = 20; id < 40; id++) await parameters.observe(`https://a.org/show?id=${id}`, 'no such record')
    expect(await parameters.strip('https://a.org/show?id=99')).toBe('https://a.org/show')
  })
  const crawlPlain = (pages: number) =>
    frontier.finish(
      Array.from({ length: pages }, (_, page) => {
        const url = `https://a.org/${page}`
        return { url, patch: { storedAs: url, textHash: `text ${page}` } }
      }),
      0,
    )
  it('are learned from pages that have the same text without the parameter, with a new value on each page', async () => {
    await crawlPlain(8)
    const parameters = new IrrelevantParameters(frontier)
    for (let page = 0; page < 7; page++) await parameters.observe(`https://a.org/${page}?sid=s${page}`, `text ${page}`)
    expect(await parameters.strip('https://a.org/9?sid=7')).toBe('https://a.org/9?sid=7')
    await parameters.observe('https://a.org/7?sid=s7', 'text 7')
    expect(await parameters.strip('https://a.org/9?sid=7')).toBe('https://a.org/9')
  })
  it('are not learned from a single default value, nor if a page has another text without the parameter', async () => {
    await crawlPlain(20)
    const parameters = new IrrelevantParameters(frontier)
    for (let page = 0; page < 20; page++) await parameters.observe(`https://a.org/${page}?page=1`, `text ${page}`)
    expect(await parameters.strip('https://a.org/9?page=2')).toBe('https://a.org/9?page=2')
    await parameters.observe('https://a.org/0?view=0', 'another text')
    for (let page = 1; page < 20; page++) await parameters.observe(`https://a.org/${page}?view=${page}`, `text ${page}`)
    expect(await parameters.strip('https://a.org/9?view=2')).toBe('https://a.org/9?view=2')
  })
})
