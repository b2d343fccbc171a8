/** What the list says of a document. */
interface ListedDocument {
  name: string
  title: string
  /** The first sentence below the title, without markup. May be empty. */
  description: string
}

/** What the list says of a dialect. */
interface ListedDialect {
  path: string
  vendor: string
  /** The packages of its clients. */
  clients: string
}

/**
 * Returns the text of `/llms.txt`, by which a language model finds the documents of this server: a link to each as Markdown, with
 * its description. The form is that of llmstxt.org.
 */
export function llmsTxt(documents: readonly ListedDocument[], dialects: readonly ListedDialect[]): string {
  const links = documents.map(
    ({ name, title, description }) => `- [${title}](/docs/${name}.md)${description === '' ? '' : `: ${description}`}`,
  )
  const bases = dialects.map(
    ({ path, vendor, clients }) => `- \`${path}\`: the base URL for clients of ${vendor}, such as ${clients}.`,
  )
  const others = bases.length === 0 ? '' : `## Clients of other search services\n\n${bases.join('\n')}\n\n`
  return `# asof

> A search engine for pages that its operator crawled or imported. It answers every question as of any instant, now or past.

## API

- [OpenAPI](/openapi.json): The routes of this server, with their parameters, answers and errors.

${others}## Documents

${links.join('\n')}
`
}
