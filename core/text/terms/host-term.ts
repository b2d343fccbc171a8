/**
 * The index term of a host: a page of docs.example.com holds the terms of docs.example.com, example.com and com, so
 * that `site` is a postings intersection. No word of a text begins with `@`.
 */
export function hostTerm(host: string): string {
  return `@${host}`
}
