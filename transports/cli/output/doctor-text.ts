import type { Examination, RepairReport } from '@asof/core'
import type { AccountsExamination } from '../../service/accounts/index.ts'
import { printable } from '../../service/index.ts'

const SHOWN = 20

function shown(lines: readonly string[], total = lines.length): string[] {
  const first = lines.slice(0, SHOWN).map(line => `  ${printable(line)}`)
  return total > first.length ? [...first, `  and ${total - first.length} more`] : first
}

function fileLines(damage: Examination['damage']): string[] {
  return damage.map(({ file, what }) => (file === '' ? what : `${file}: ${what}`))
}

/** What an examination found, for a reader. */
export function examinationText(examination: Examination): string {
  const { sound, damage, problems, problemCount, captures, urls, segments, strays } = examination
  if (sound) {
    const left = strays > 0 ? `; ${strays} values that a crash left go when the index is next opened` : ''
    return `the index is sound: ${captures} captures of ${urls} URLs in ${segments} segments${left}`
  }
  return [
    'the index is damaged:',
    ...shown([...fileLines(damage), ...problems], damage.length + problemCount),
    'restore a backup, or save what can be read with `asof doctor --repair`',
  ].join('\n')
}

/** What an examination of the accounts found, for a reader. */
export function accountsText({ sound, records, problems, problemCount }: AccountsExamination): string {
  if (sound) return `the accounts are sound: ${records} records`
  return ['the accounts are damaged:', ...shown(problems, problemCount), 'restore a backup'].join('\n')
}

/** What a repair did, for a reader. */
export function repairText(report: RepairReport): string {
  const { captures, urls, lost, datesLost, historiesPatched, revisionsLost, damage, damagedIndex } = report
  const lostLines = lost.map(({ url, acquiredAt }) => {
    const when = acquiredAt === undefined ? '' : ` of ${new Date(acquiredAt).toISOString()}`
    return `${url ?? 'a page whose URL is lost too'}${when}`
  })
  return [
    `the index is repaired: ${captures} captures of ${urls} URLs`,
    ...(lost.length > 0 ? [`lost: ${lost.length} captures`, ...shown(lostLines)] : ['every capture it knew was saved']),
    ...(datesLost > 0 ? [`${datesLost} captures have lost their publish date`] : []),
    ...(revisionsLost > 0
      ? [
          `${revisionsLost} changes of dates, authors or structured data are lost: these pages keep the values of before`,
        ]
      : []),
    ...(historiesPatched > 0
      ? [`${historiesPatched} URLs have lost a part of their history: re-visits and removals may be lacking`]
      : []),
    ...(damage.length > 0 ? ['could not be read:', ...shown(fileLines(damage))] : []),
    `the damaged index is kept at ${damagedIndex}`,
    ...(damage.length > 0 ? ['what was removed or purged shortly before the damage may be back: purge it again'] : []),
  ].join('\n')
}
