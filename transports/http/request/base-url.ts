/** An address without slashes at its end, so that a path can follow. */
export function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
