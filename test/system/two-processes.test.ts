import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { open } from '../../core/index.ts'

it('a folder that one process has open cannot be opened by another until the first one is killed', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-two-'))
  const writer = path.join(import.meta.dirname, 'kill-nine-writer.ts')
  const child = spawn(process.execPath, [writer, dir, '1', '1', 'merges'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const closed = once(child, 'close')
    await once(child.stdout, 'data')
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED', retryable: true })
    // The first failed attempt must not make the second one succeed.
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_LOCKED' })
    child.kill('SIGKILL')
    await closed
    await (await open(dir)).close()
  } finally {
    child.kill('SIGKILL')
    await rm(dir, { recursive: true, force: true })
  }
})
