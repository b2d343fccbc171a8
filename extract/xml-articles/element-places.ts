import type { Attributes } from '../html/html-tree.ts'
import { dropped, type ElementRule, type ElementRules, part } from './element-rules.ts'
import type { OpenElement } from './open-element.ts'

/** Returns how an element is written inside its parent. */
export function ruleIn(
  rules: ElementRules,
  name: string,
  attributes: Attributes,
  parent: OpenElement | undefined,
): ElementRule {
  if (parent?.rule.role === 'math') return { role: 'math', tag: name }
  const rule = rules.get(name) ?? part
  if (parent?.rule.role === 'info') {
    const isShown = ['info', 'title', 'abstract', 'enumeration'].includes(rule.role)
    return isShown || /^(?:subtitle|trans-title|trans-title-group)$/.test(name) ? rule : dropped
  }
  if (parent?.rule.role === 'citation') return rule.role === 'title' ? part : rule
  if (rule.role === 'title' && name === 'article-title') return part
  if (name === 'textobject' && parent?.hasImage) return dropped
  if (name === 'refentrytitle' && parent?.name === 'refmeta') return { role: 'title', tag: '' }
  if (name === 'listitem' && parent?.name === 'varlistentry') return { role: 'block', tag: 'dd' }
  // JATS has the punctuation between items in an element of its own.
  if (name === 'x' && parent?.rule.role === 'list') return dropped
  if (name === 'emphasis' && attributes.role?.startsWith('strike')) return { role: 'inline', tag: 's' }
  if (name === 'emphasis' && /^(?:bold|strong)$/.test(attributes.role ?? '')) return { role: 'inline', tag: 'b' }
  return rule
}
