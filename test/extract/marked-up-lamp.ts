/** The item for the same lamp in the tests of microdata and RDFa Lite. */
export const lamp = {
  '@type': 'Product',
  name: 'Storm lamp',
  image: 'https://www.example.com/lamp.jpg',
  sku: 'L1',
  offers: {
    '@type': 'Offer',
    price: '9.50',
    availability: 'https://schema.org/InStock',
    priceValidUntil: '2026-05-01',
  },
  url: 'https://www.example.com/lamp',
  sameAs: 'https://www.example.com/lamp',
  color: ['red', 'blue'],
}
