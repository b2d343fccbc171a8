/** The release of this package, as in its package.json. */
export const RELEASE = '0.1.0'
