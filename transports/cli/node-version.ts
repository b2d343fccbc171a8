/** The oldest Node that runs asof: `engines.node` of package.json. */
const OLDEST = '22.19'

/**
 * Checks the version of Node. This file has no imports and no recent syntax, so that any Node can run it.
 *
 * @param version - such as `22.19.0`.
 * @returns the message for the user of a Node that is too old; otherwise `undefined`.
 */
export function oldNodeMessage(version: string): string | undefined {
  const [major, minor] = numbersOf(version)
  const [oldestMajor, oldestMinor] = numbersOf(OLDEST)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `asof needs Node ${OLDEST} or later. This is Node ${version}; install a newer one from https://nodejs.org/.`
}

function numbersOf(version: string): [major: number, minor: number] {
  const parts = version.split('.')
  return [Number(parts[0]), Number(parts[1])]
}
