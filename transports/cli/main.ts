#!/usr/bin/env node
import { oldNodeMessage } from '@asof/core/node-version'

/** Commands that may run long or index many pages. */
const longCommands = ['crawl', 'import', 'serve', 'mcp', 'doctor']

async function main(): Promise<void> {
  // Everything else is imported late: an old Node can't even parse some of it.
  const { restartLean, setLeanFlags } = await import('./lean-memory.ts')
  // The files that commands create hold pages, queries, accounts and payments: only this user may read them.
  process.umask(0o077)
  // Before the commands are loaded: a restart would load them twice.
  if (longCommands.includes(process.argv[2] || '')) restartLean()
  setLeanFlags()
  const { runCommandLine } = await import('./command-line.ts')
  await runCommandLine(process.argv)
}

const refusal = oldNodeMessage(process.versions.node)
if (refusal === undefined) {
  main()
} else {
  process.stderr.write(`asof: ${refusal}\n`)
  process.exitCode = 1
}
