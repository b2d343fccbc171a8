import { afterEach, beforeEach, vi } from 'vitest'

/** What the commands of a test have printed, instead of on the terminal of the tests. A test may empty it. */
export interface CommandOutput {
  stdout: string
  stderr: string
}

/** Collects what commands in this process print, for each test of the file. After each test the exit code is reset, too. */
export function useCommandOutput(): CommandOutput {
  const output: CommandOutput = { stdout: '', stderr: '' }
  beforeEach(() => {
    for (const stream of ['stdout', 'stderr'] as const) {
      output[stream] = ''
      vi.spyOn(process[stream], 'write').mockImplementation(text => {
        output[stream] += text
        return true
      })
    }
  })
  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  })
  return output
}
