import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const suite = path.join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** One check of a scenario, as the suite writes it down. */
export interface Check {
  id: string
  status: string
  errorMessage?: string
}

/** Runs a scenario of the official suite, which is offline, against the endpoint at an address. @param out - a folder. */
export async function checksOf(
  url: string,
  { scenario, revision, out }: { scenario: string; revision: string; out: string },
): Promise<Check[]> {
  const folder = path.join(out, `${revision}-${scenario}`)
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', folder]
  // A check that failed is an exit code; which one is in the file.
  await new Promise(resolve => execFile(process.execPath, [suite, ...args], resolve))
  const [file] = globSync('**/checks.json', { cwd: folder })
  if (file === undefined) throw new Error(`${scenario} left no checks`)
  return JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Check[]
}

export function withStatus(checks: readonly Check[], ...statuses: string[]): Check[] {
  return checks.filter(({ status }) => statuses.includes(status))
}
