import type { ElementRule, ElementRules } from './element-rules.ts'
import type { Attributes, OpenElement } from './open-element.ts'

/** An element of another vocabulary. */
export const unknownElement: ElementRule = { role: 'part', tag: '' }

/** Returns how an element is written in its place. */
export function ruleIn(
  rules: ElementRules,
  name: string,
  attributes: Attributes,
  parent: OpenElement | undefined,
): ElementRule {
  if (parent?.rule.role === 'math') return { role: 'math', tag: name }
  const rule = rules.get(name) ?? unknownElement
  switch (parent?.rule.role) {
    case 'info': {
      const isShown = ['info', 'title', 'abstract', 'enumeration'].includes(rule.role)
      return isShown || /^(?:subtitle|trans-title|trans-title-group)$/.test(name) ? rule : { role: 'drop', tag: '' }
    }
    case 'citation':
      return rule.role === 'title' ? unknownElement : rule
  }
  if (rule.role === 'title' && name === 'article-title') return unknownElement
  if (name === 'textobject' && parent?.hasImage) return { role: 'drop', tag: '' }
  if (name === 'imageobject' && parent) parent.hasImage = true
  if (name === 'refentrytitle' && parent?.name === 'refmeta') return { role: 'title', tag: '' }
  if (name === 'listitem' && parent?.name === 'varlistentry') return { role: 'block', tag: 'dd' }
  // JATS has the punctuation between items in an element of its own.
  if (name === 'x' && parent?.rule.role === 'list') return { role: 'drop', tag: '' }
  if (name === 'emphasis' && attributes.role?.startsWith('strike')) return { role: 'inline', tag: 's' }
  if (name === 'emphasis' && /^(?:bold|strong)$/.test(attributes.role ?? '')) return { role: 'inline', tag: 'b' }
  return rule
}
