import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Attack } from './attack.ts'

const folder = path.join(import.meta.dirname, 'attacks')

/** Every attack of the folder `attacks/`, in the order of its files. */
export async function allAttacks(): Promise<Attack[]> {
  const files = readdirSync(folder).toSorted()
  const modules = await Promise.all(files.map(file => import(path.join(folder, file)) as Promise<{ attack: Attack }>))
  return modules.map(({ attack }) => attack)
}
