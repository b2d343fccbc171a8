import { textsOfFields } from '@asof/core/internal'
import { unsupported } from '../not-answered.ts'

type Fields = Parameters<typeof textsOfFields>[0]

/**
 * Refuses texts in fields. OpenSearch has only the positions of title and text, so the cluster could not find phrases in fields.
 *
 * @throws ASOF_UNSUPPORTED
 */
export function expectNoTexts({ fields = {} }: { fields?: Fields }): void {
  const [first] = textsOfFields(fields)
  if (first)
    throw unsupported(
      'texts in fields',
      `fields.${first.name} is a text: a cluster has no texts in fields; write it as a keyword or into the text of the page`,
    )
}
