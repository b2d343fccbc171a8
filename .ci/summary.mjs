/**
 * Sums vitest's JSON reports: prints the files that took the longest, the names and the first lines of what failed, and one closing line.
 * Exits 1 when anything failed, when a report is missing, and when no test ran.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const SLOWEST = 10
const totals = { passed: 0, failed: 0, skipped: 0 }
const files = []
const failures = []

/** Keeps a failure for the end, where the log is read first. */
function countFailure(name, reason = '') {
  totals.failed += 1
  failures.push(`failed: ${name}\n  ${reason.split('\n').slice(0, 8).join('\n  ').slice(0, 800)}`)
}

for (const report of process.argv.slice(2)) {
  const suite = path.basename(report, '.json')
  if (!existsSync(report)) {
    countFailure(`all tests of ${suite}`, `There is no report at ${report}.`)
    continue
  }
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    const failedBefore = totals.failed
    const name = path.relative('.', file.name)
    files.push({ suite, name, seconds: (file.endTime - file.startTime) / 1000 })
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      if (status === 'passed') totals.passed += 1
      else if (status === 'failed') countFailure(`${name} > ${fullName}`, failureMessages?.join('\n'))
      else totals.skipped += 1
    }
    // A file that could not be loaded has no failed test to its name.
    if (file.status === 'failed' && totals.failed === failedBefore) countFailure(name, file.message)
  }
}
const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
console.log(`\n${'slowest files'.padEnd(20)} seconds`)
for (const { suite, name, seconds } of slowest)
  console.log(`${suite.padEnd(20)} ${seconds.toFixed(0).padStart(7)}  ${name}`)
if (failures.length > 0) console.log(`\n${failures.join('\n')}`)
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0
