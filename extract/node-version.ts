/** The oldest Node.js release for asof, as in `engines` of package.json. */
const OLDEST = '22.19'

/**
 * Returns the error message for a Node.js release that is too old; undefined if it is recent enough. This file imports
 * nothing and is written for Node.js 18, so that old releases can run it.
 *
 * @param version - such as `20.11.1`. Default: the running release.
 */
export function oldNodeMessage(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `asof needs Node.js ${OLDEST} or newer, and this is Node.js ${version}. Install a newer one from https://nodejs.org/`
}
