import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

/**
 * Runs a script of this folder, and kills it with SIGKILL after it has written a number of lines.
 *
 * @param onLine - called with the words of each line, those that were on their way when it was killed included.
 * @throws Error - the script ended by itself.
 */
export async function killAfterLines(
  script: string,
  args: readonly string[],
  lines: number,
  onLine: (words: string[]) => void,
): Promise<void> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const closed = once(child, 'close')
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    onLine(line.split(' '))
    if (seen++ === lines) child.kill('SIGKILL')
  }
  const [code, signal] = await closed
  if (signal !== 'SIGKILL') throw new Error(`${script} ended by itself with ${code}: ${errors}`)
}
