import { describe, expect, it } from 'vitest'
import { linkHeaderTarget } from '../../../crawler/discovery/link-header.ts'

describe('the target of a link in a header', () => {
  it.each([
    ['<https://a.example/x>; rel="canonical"', 'https://a.example/x'],
    ['< /x >;rel=canonical', '/x'],
    ['</a>; rel=preload; as=style, </x>; REL="Canonical"', '/x'],
    ['</a,b;c>; title="x, <y>; rel=canonical"; rel=next, </x>; rel="nofollow canonical"', '/x'],
    ['</a>; rel=canonical; anchor="#part", </x>; rel=canonical', '/x'],
    ['</x> ; rel = canonical ; type="text/html"', '/x'],
    ['</x>; rel=canonical, </y>; rel=canonical', '/x'],
    ['</x>; title="a \\" b"; rel=canonical', '/x'],
  ])('is found in %s', (header, target) => {
    expect(linkHeaderTarget(header, 'canonical')).toBe(target)
  })
  it.each([undefined, '', 'x', '<', '</x>', '</x>; rel', '</x>; rel=next; rel=canonical', '</x; rel=canonical'])(
    'is undefined for %s',
    header => {
      expect(linkHeaderTarget(header, 'canonical')).toBeUndefined()
    },
  )
})
