import { execFileSync } from 'node:child_process'
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { addPage, RunningCommand } from '../../system/running-command.ts'
import type { Attack } from '../attack.ts'

/** A command that has not ended after this time waits at a pipe. */
const HELD_MS = 60_000

/** What replaces a part of a data folder. A link leads to the same part of a folder of somebody else, which has only an index. */
const planted = [
  { part: 'index', as: 'link' },
  { part: 'asof.json', as: 'pipe' },
  { part: 'index/LOCK', as: 'link' },
  { part: 'index/CURRENT', as: 'pipe' },
  { part: 'access', as: 'link' },
  { part: 'purchases', as: 'pipe' },
] as const

/** Waits for the end of a command. @returns its exit code; null if it did not end. */
async function codeOf(args: readonly string[]): Promise<number | null> {
  const command = new RunningCommand(args)
  const limit = setTimeout(() => command.signal('SIGKILL'), HELD_MS)
  const { code } = await command.finished
  clearTimeout(limit)
  return code
}

/** Lists what is in a folder, at any depth. */
async function listOf(folder: string): Promise<string> {
  return (await readdir(folder, { recursive: true })).toSorted().join('\n')
}

/** Puts links and pipes into a data folder, as another user of the machine could, before the operator examines and copies it. */
export const attack: Attack = {
  name: 'links and pipes in data folders',
  run: async ({ dir, signal, note, breach }) => {
    const sound = path.join(dir, 'sound')
    const data = path.join(dir, 'data')
    const outside = path.join(dir, 'outside')
    await mkdir(dir)
    await addPage(sound)
    await cp(sound, outside, { recursive: true })
    // A short battle has time for a few commands only: each round tries the other command with each part.
    for (let turn = 0; turn < 2 || !signal.aborted; turn++) {
      const { part, as } = planted[turn % planted.length]!
      await cp(sound, data, { recursive: true })
      const place = path.join(data, part)
      await rm(place, { recursive: true, force: true })
      if (as === 'link') await symlink(path.join(outside, part), place)
      else execFileSync('mkfifo', [place])
      const name = (turn + Math.floor(turn / planted.length)) % 2 === 0 ? 'doctor' : 'backup'
      const args = name === 'doctor' ? [name] : [name, path.join(dir, 'copy')]
      const before = await listOf(outside)
      const code = await codeOf([...args, '--data', data])
      if (code !== null) note(code)
      const said = `asof ${name} with a ${as} as ${part}`
      if (code === null) breach(`${said} was held`)
      if (code === 0) breach(`${said} did its work`)
      if ((await listOf(outside)) !== before) breach(`${said} wrote through it`)
      for (const made of [data, path.join(dir, 'copy')]) await rm(made, { recursive: true, force: true })
    }
  },
}
