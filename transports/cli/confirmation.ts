import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Where a person is asked: the terminal of the process. */
export interface Terminal {
  input: Readable
  output: Writable
}

/** Returns the terminal of this process, if a person can read a question and answer it. */
export function terminalOf({ stdin, stderr }: NodeJS.Process): Terminal | undefined {
  return stdin.isTTY && stderr.isTTY ? { input: stdin, output: stderr } : undefined
}

/** Asks a question. Returns true only for "y" or "yes"; false too if the input ends, or `signal` aborts. */
export async function isConfirmed(
  question: string,
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const lines = createInterface({ input, signal })
  output.write(`${question} [y/N] `)
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim())
    output.write('\n')
    return false
  } finally {
    lines.close()
  }
}
