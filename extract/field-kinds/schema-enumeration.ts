/** Matches what precedes the name in the address of a value of a schema.org enumeration, such as `https://schema.org/InStock`. */
const enumeration = /^https?:\/\/(?:www\.)?schema\.org\/(?=\w+$)/i

/** Returns the name of a value of a schema.org enumeration; any other text as it is. */
export function nameOfEnumerated(text: string): string {
  return text.replace(enumeration, '')
}
