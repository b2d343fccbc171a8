/**
 * Sums vitest's JSON reports into one closing line, after the names and the first lines of what failed. Exits 1 when anything failed, when a
 * report is missing, and when no test ran.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const totals = { passed: 0, failed: 0, skipped: 0 }

/** Tells of a failure where the log is read first: at its end. */
function countFailure(name, reason = '') {
  totals.failed += 1
  console.log(`failed: ${name}\n  ${reason.split('\n').slice(0, 8).join('\n  ').slice(0, 800)}`)
}

for (const report of process.argv.slice(2)) {
  if (!existsSync(report)) {
    countFailure('a whole suite', `There is no report at ${report}.`)
    continue
  }
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    const failedBefore = totals.failed
    const name = path.relative('.', file.name)
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      if (status === 'passed') totals.passed += 1
      else if (status === 'failed') countFailure(`${name} > ${fullName}`, failureMessages?.join('\n'))
      else totals.skipped += 1
    }
    // A file that could not be loaded has no failed test to its name.
    if (file.status === 'failed' && totals.failed === failedBefore) countFailure(name, file.message)
  }
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0
