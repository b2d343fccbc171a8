/** What microdata and RDFa Lite say alike of one lamp, in the form of JSON-LD. */
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
