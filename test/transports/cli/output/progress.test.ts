import { describe, expect, it } from 'vitest'
import { Progress } from '../../../../transports/cli/output/progress.ts'
import { searchText } from '../../../../transports/cli/output/result-text.ts'
import { printable } from '../../../../transports/service/index.ts'

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
  it('rewrites one line on a terminal, within its width, at most ten times a second', () => {
    const { written, progress, wait } = recorder(true)
    progress.update(() => '1 of many more')
    progress.update(() => '2')
    wait(100)
    progress.update(() => '3')
    progress.line('done')
    expect(written).toEqual(['\r\x1b[K1 of many ', '\r\x1b[K3', '\r\x1b[K', 'done\n'])
  })

  it('writes plain lines elsewhere, every two seconds at most', () => {
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

describe('results for a reader', () => {
  const response = {
    query: 'ships',
    mode: 'pro' as const,
    results: [
      {
        title: 'Ships\x1b[2J',
        url: 'https://example.com/',
        description: '' as const,
        snippet: 'Old\n**ships** at\x07 sea',
        published_at: '2024-03-01T10:00:00.000Z',
        acquired_at: '2024-03-02T11:12:13.456Z',
      },
    ],
  }

  it('show title, address, dates and the marked snippet', () => {
    expect(searchText(response, false)).toBe(
      '1. Ships [2J\n   https://example.com/  published 2024-03-01, indexed 2024-03-02T11:12:13.456Z\n   Old **ships** at  sea'.replace(
        '  sea',
        ' sea',
      ),
    )
  })

  it('are bold where they matched on a terminal', () => {
    expect(searchText(response, true)).toContain('\x1b[1mships\x1b[22m')
  })

  it('let no control character of a page through', () => {
    expect(printable('a\x1b]0;title\x07b\u009b31mc\td\n')).toBe('a ]0;title b 31mc\td\n')
  })
})
