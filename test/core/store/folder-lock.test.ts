import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examine, open } from '../../../core/index.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-lock-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe.runIf(process.platform === 'linux')('the error of a folder that another process has open', () => {
  it('names that process', async () => {
    const core = new URL('../../../core/index.ts', import.meta.url).href
    const script = `const { open } = await import(${JSON.stringify(core)})
      await open(process.argv[1])
      console.log('open')
      setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script, dir], { stdio: ['ignore', 'pipe', 2] })
    try {
      await once(holder.stdout!, 'data')
      const locked = {
        code: 'ASOF_STORE_LOCKED',
        message: expect.stringContaining(`in use by process ${holder.pid}: stop that process first`),
        details: { pid: holder.pid },
      }
      await expect(open(dir)).rejects.toMatchObject(locked)
      await expect(examine(dir)).rejects.toMatchObject(locked)
    } finally {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    }
    const engine = await open(dir)
    await engine.close()
  })
})
