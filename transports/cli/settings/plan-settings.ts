import { readFile } from 'node:fs/promises'
import { unknownName } from '@asof/extract/errors'
import { fieldPath, fieldReasons } from '../../../crawler/field-reason.ts'
import { type Plan, plansFile } from '../../../service/accounts/index.ts'
import { faultText, jsonFault } from '../../../service/index.ts'
import { UsageError } from '../command-failure.ts'

/** Parses the text of a JSON file. @throws UsageError - the text is not JSON; the message names the file and the place. */
export function parsedFile(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const fault = jsonFault(text)
    throw new UsageError(`${file} is not valid JSON${fault === undefined ? '' : `: ${faultText(fault)}`}`, { cause })
  }
}

/**
 * Reads the plans that the storefront sells from a JSON file: `{"plans": [...]}`.
 *
 * @throws UsageError - the message names the file, and every bad field with its reason.
 */
export async function readPlans(file: string): Promise<readonly Plan[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`the plans file ${file} can't be read; set plans_file (ASOF_PLANS_FILE) to a readable file`, {
      cause,
    })
  }
  const given = parsedFile(file, text)
  const parsed = plansFile.safeParse(given, { reportInput: true })
  if (parsed.success) return parsed.data.plans
  const problems = fieldReasons(plansFile, parsed.error, (name, known) =>
    known.length === 0 ? 'unknown field' : `unknown field; ${unknownName(name, known).hint}`,
  )
  throw new UsageError(`${file}: ${problems.map(({ path, reason }) => `${fieldPath(path)}: ${reason}`).join('; ')}`)
}
