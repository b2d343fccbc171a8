import { describe, expect, it } from 'vitest'
import { Progress } from '../../../../transports/cli/output/progress.ts'

function recorder(isTTY: boolean) {
  const written: string[] = []
  let atMs = 0
  const progress = new Progress({ write: text => written.push(text), isTTY, columns: 11 }, () => atMs)
  return {
    written,
    progress,
    wait: (ms: number) => {
      atMs += ms
    },
  }
}

describe('progress', () => {
  it('wraps a message on a terminal, and keeps it on one line elsewhere', () => {
    const text = `asof: ${'a long message '.repeat(8).trim()}`
    const [terminal, file] = [recorder(true), recorder(false)]
    terminal.progress.line(text)
    file.progress.line(text)
    const lines = terminal.written.join('').split('\n')
    expect(lines.length).toBeGreaterThan(2)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80)
    expect(file.written).toEqual([`${text}\n`])
  })

  it('writes nothing that a page could make a terminal obey', () => {
    for (const isTTY of [true, false]) {
      const { written, progress } = recorder(isTTY)
      progress.line('a\u001b[2J\u009bb\u202ec\u2028d')
      expect(written.join('').trim()).toBe('a [2J bc d')
    }
  })

  it('rewrites one line on a terminal, within its width, at most ten times a second', () => {
    const { written, progress, wait } = recorder(true)
    progress.update(() => '1 of many more')
    progress.update(() => '2')
    wait(100)
    progress.update(() => '3')
    progress.line('done')
    expect(written).toEqual(['\r\x1b[K1 of many ', '\r\x1b[K3', '\r\x1b[K', 'done\n'])
  })

  it('writes plain lines elsewhere, at most every two seconds', () => {
    const { written, progress, wait } = recorder(false)
    progress.update(() => '1')
    wait(1_999)
    progress.update(() => '2')
    wait(1)
    progress.update(() => '3')
    progress.line('done')
    expect(written).toEqual(['1\n', '3\n', 'done\n'])
  })
})
