import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Attack } from '../attack.ts'

const script = path.join(import.meta.dirname, '../sales-with-backups.ts')

/** Buys plans from another shop while its data folder is copied, and looks for buyers whose plan a copy has lost. */
export const attack: Attack = {
  name: 'backups while plans are bought',
  run: async ({ dir, signal, note, breach }) => {
    await mkdir(dir)
    // The shop is a process of its own, because its work would delay the clients of the battle.
    const shop = spawn(process.execPath, [script, dir], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = once(shop, 'close')
    signal.addEventListener('abort', () => shop.stdin.end())
    for await (const line of createInterface({ input: shop.stdout })) {
      const { status, breach: lost } = JSON.parse(line) as { status?: number; breach?: string }
      if (status !== undefined) note(status)
      if (lost !== undefined) breach(lost)
    }
    const [code] = await ended
    if (code !== 0) breach(`the shop ended with ${code}`)
  },
}
