import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { examine, open } from '../../../core/index.ts'

const script = `const { open } = await import(${JSON.stringify(new URL('../../../core/index.ts', import.meta.url).href)})
  await open(process.argv[1])
  console.log('open')
  setInterval(() => {}, 1000)`

let dir: string
let holder: ChildProcess
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-lock-'))
  holder = spawn(process.execPath, ['--input-type=module', '-e', script, dir], { stdio: ['ignore', 'pipe', 2] })
  await once(holder.stdout!, 'data')
})
afterEach(async () => {
  await killHolder()
  await rm(dir, { recursive: true })
})

async function killHolder(): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return
  holder.kill('SIGKILL')
  await once(holder, 'exit')
}

describe('a folder that a process has open', () => {
  it('cannot be opened by another one until the first is killed', async () => {
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED', retryable: true })
    // The first failed attempt must not make the second one succeed.
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    await killHolder()
    await (await open(dir)).close()
  })

  it.runIf(process.platform === 'linux')('is refused with an error that names that process', async () => {
    const locked = {
      code: 'ASOF_STORE_LOCKED',
      message: expect.stringContaining(`in use by process ${holder.pid}: stop that process first`),
      details: { pid: holder.pid },
    }
    await expect(open(dir)).rejects.toMatchObject(locked)
    await expect(examine(dir)).rejects.toMatchObject(locked)
  })
})
