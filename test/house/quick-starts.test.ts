import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isAsShown, Reader, stepsOf } from './typed-page.ts'

const docs = resolve(import.meta.dirname, '../../docs')
const pages = [
  'quick-start-embedder.md',
  'quick-start-operator.md',
  'quick-start-agent-developer.md',
  'quick-start-researcher.md',
  'back-testing.md',
]

describe('the shown output', () => {
  it.each([
    ['is the same but for space at the end', 'a 1\nb\n', 'a 1\nb', true],
    ['has any text for …', 'in 17 s\n', 'in … s', true],
    ['has any lines for a line of …', 'a\nb\nc\n', 'a\n…\nc', true],
    ['has no line more than is shown', 'a\nb\n', 'a', false],
    ['has no line less than is shown', 'a\n', 'a\nb', false],
    ['is nothing if nothing is shown', 'a\n', '', false],
    ['has the signs of patterns as they are', 'a.b\n', 'a.c', false],
  ])('%s', (_, printed, shown, expected) => {
    expect(isAsShown(printed, shown)).toBe(expected)
  })

  it('belongs to commands, and other blocks name a file', () => {
    expect(() => stepsOf('```text\na\n```\n')).toThrow('shows the output of nothing')
    expect(() => stepsOf('```js\nlet a\n```\n')).toThrow('has no name of a file')
  })
})

describe('a reader who does what a page says', () => {
  let reader: Reader | undefined
  afterEach(async () => {
    await reader?.end()
    reader = undefined
  })

  it('is stopped by a command that fails, also before others that succeed', async () => {
    reader = await Reader.begin()
    const commands = (typed: string) => ({ kind: 'commands', commands: typed, isServer: false, shown: '' }) as const
    expect(await reader.follow(commands('NAME=asof\n'))).toBe('')
    expect(await reader.follow(commands('true\necho $NAME\n'))).toBe('asof\n')
    await expect(reader.follow(commands('echo before\nls nowhere\necho after\n'))).rejects.toThrow(
      /before\nafter\n.*nowhere/s,
    )
  })

  for (const page of pages) {
    it(`sees what ${page} shows`, async () => {
      const steps = stepsOf(readFileSync(join(docs, page), 'utf8'))
      expect(steps.length).toBeGreaterThan(4)
      reader = await Reader.begin()
      for (const step of steps) {
        const printed = await reader.follow(step)
        const shown = step.kind === 'commands' ? (step.shown ?? '') : ''
        // The comparison of texts is only for its message.
        if (!isAsShown(printed, shown)) expect(printed).toBe(shown)
      }
    })
  }
})

it('the README of examples/back-testing shows the numbers of the guide', () => {
  const tableIn = (path: string) =>
    /^```text\n(The agent reads[\s\S]*?)^```$/m.exec(readFileSync(join(docs, path), 'utf8'))?.[1]
  expect(tableIn('../examples/back-testing/README.md')).toBe(tableIn('back-testing.md'))
  expect(tableIn('back-testing.md')).toBeDefined()
})
