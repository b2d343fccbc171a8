import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../../../transports/cli/program.ts'

const run = (...args: string[]) => buildProgram().parseAsync(args, { from: 'user' })

describe('asof purge', () => {
  it.each([['https://a.example/'], ['https://a.example/', '--dry-run'], ['--urls', 'gone.txt']])(
    'rejects --at for the pages that %j names',
    async (...args) => {
      const purge = run('purge', '--data', 'none', '--at', '2025-01-01', ...args)
      await expect(purge).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('--at goes with'),
      })
    },
  )
})
