/** `asof/extract`: pages and documents as Markdown with their metadata, without an index, as `@asof/extract` gives it. */
export * from '@asof/extract'
