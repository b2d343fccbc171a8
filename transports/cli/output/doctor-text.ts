import type { Examination, RepairReport } from '@asof/core'
import type { AccountsExamination } from '../../../service/accounts/index.ts'
import { printable } from '../../../service/index.ts'
import type { PurchasesExamination } from '../../../store/purchases/index.ts'

import type { FolderExamination } from '../folder-examination.ts'
import { pluralize } from './wording.ts'
import { wrap } from './wrapped-text.ts'

/** Number of findings that are printed. */
const SHOWN = 20

function firstOf(lines: readonly string[], total = lines.length): string[] {
  const first = lines.slice(0, SHOWN).map(line => wrap(printable(line), '  ', '    '))
  return total > first.length ? [...first, `  and ${total - first.length} more findings`] : first
}

function fileLines(damage: Examination['damage']): string[] {
  return damage.map(({ file, what }) => (file === '' ? what : `${file}: ${what}`))
}

/** Lists everything that an examination of a data folder found wrong. */
export function findingsIn({ damage, problems, accounts, purchases }: FolderExamination): string[] {
  const all = [fileLines(damage), problems, accounts?.problems, purchases?.problems, purchases?.unfulfilled]
  return all.flatMap((lines = []) => [...lines])
}

/** Returns the result of an examination of the index as text for people. */
export function examinationText(examination: Examination): string {
  const { sound, damage, problems, problemCount, captures, urls, segments, strays } = examination
  if (sound) {
    const left =
      strays > 0 ? `; ${strays} values that a crash left behind are deleted when the index is next opened` : ''
    return wrap(
      `the index is sound: ${pluralize(captures, 'capture')} of ${pluralize(urls, 'URL')} in ${pluralize(segments, 'segment')}${left}`,
    )
  }
  return [
    'the index is damaged:',
    ...firstOf([...fileLines(damage), ...problems], damage.length + problemCount),
    'Restore a backup, or rebuild the index with `asof doctor --repair`.',
  ].join('\n')
}

/** Returns the result of an examination of the accounts as text for people. */
export function accountsText({ sound, records, problems, problemCount }: AccountsExamination): string {
  if (sound) return `the accounts are sound: ${records} records`
  return ['the accounts are damaged:', ...firstOf(problems, problemCount), 'Restore a backup.'].join('\n')
}

/** Returns the result of an examination of the purchases as text for people. */
export function purchasesText(examination: PurchasesExamination): string {
  const { sound, bought, undecided, problems, problemCount, unfulfilled, unfulfilledCount } = examination
  const lines = sound
    ? [`the purchases are sound: ${pluralize(bought, 'plan')} bought, ${pluralize(undecided, 'payment')} undecided`]
    : ['the purchases are damaged:', ...firstOf(problems, problemCount), 'Restore a backup.']
  if (unfulfilledCount > 0) {
    lines.push(
      'plans that were paid but not given:',
      ...firstOf(unfulfilled, unfulfilledCount),
      wrap(
        'Start `asof serve` with the settings of payments: it gives each recorded purchase its plan. Refund a payment without a recorded purchase.',
      ),
    )
  }
  return lines.join('\n')
}

/** Returns the result of a repair as text for people. */
export function repairText(report: RepairReport): string {
  const { captures, urls, lost, datesLost, historiesPatched, revisionsLost, damage, damagedIndex } = report
  const lostLines = lost.map(({ url, acquiredAt }) => {
    const when = acquiredAt === undefined ? '' : ` of ${new Date(acquiredAt).toISOString()}`
    return `${url ?? 'a page whose URL is lost too'}${when}`
  })
  const lines = [`the index is repaired: ${pluralize(captures, 'capture')} of ${pluralize(urls, 'URL')}`]
  if (lost.length > 0) lines.push(`lost: ${lost.length} captures`, ...firstOf(lostLines))
  else lines.push('every capture was saved')
  if (datesLost > 0) lines.push(`${datesLost} captures lost their publish date`)
  if (revisionsLost > 0)
    lines.push(
      wrap(
        `${revisionsLost} changes of dates, authors or structured data were lost; these pages keep their earlier values`,
      ),
    )
  if (historiesPatched > 0)
    lines.push(
      wrap(`the histories of ${historiesPatched} URLs are incomplete: unchanged re-visits and removals may be missing`),
    )
  if (damage.length > 0) lines.push('could not be read:', ...firstOf(fileLines(damage)))
  lines.push(wrap(`the damaged index is kept as a backup in ${damagedIndex}`))
  if (damage.length > 0)
    lines.push(
      wrap('Pages that were removed or purged shortly before the damage may be back: remove or purge them again.'),
    )
  return lines.join('\n')
}
