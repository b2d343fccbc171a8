/**
 * Returns the index term of a host. A page of docs.example.com is indexed under the terms of docs.example.com, example.com
 * and com, so that `site` is an intersection of postings. No word of a text begins with `@`.
 */
export function hostTerm(host: string): string {
  return `@${host}`
}
