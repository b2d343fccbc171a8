/**
 * Returns the index term of a host. A page of docs.example.com is indexed under the hosts docs.example.com, example.com
 * and com, so that `site` needs one term only. Words of a text never begin with `@`.
 */
export function hostTerm(host: string): string {
  return `@${host}`
}
