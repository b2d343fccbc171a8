import { count, table } from '../../apparatus/text-table.ts'
import { corpusLine, type ReportTable, settingsOf, tablesOf } from './report-tables.ts'
import type { SizeReport, SpeedReport } from './speed-report.ts'

/** Prints the command, the machine and the settings. */
export function printStart(report: SpeedReport): void {
  console.log(report.command)
  for (const [name, text] of settingsOf(report)) console.log(`${name.padEnd(13)}${text}`)
}

/** Prints the tables of one corpus size. */
export function printSize(size: SizeReport): void {
  console.log(`\n== ${count(size.corpus.pages)} ${corpusLine(size)}`)
  for (const one of tablesOf(size)) printTable(one)
}

/** Prints a table, or nothing if it has no rows. */
export function printTable({ title, notes, heads, rows }: ReportTable): void {
  if (rows.length === 0) return
  console.log(`\n${title}`)
  for (const note of notes) console.log(`  ${note}`)
  console.log(table(heads, rows))
}
