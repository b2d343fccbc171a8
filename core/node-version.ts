/** The oldest Node.js that asof runs on; `engines` in package.json says the same. */
const OLDEST = '22.19'

/**
 * The message for a Node.js that is too old; undefined if it is recent enough. This file loads on old releases: it imports
 * nothing, and is written for Node.js 18.
 *
 * @param version - such as `20.11.1`; default: of the Node.js that runs this.
 */
export function oldNodeMessage(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `asof needs Node.js ${OLDEST} or newer, and this is Node.js ${version}. Install a newer one from https://nodejs.org/`
}
